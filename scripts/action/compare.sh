#!/usr/bin/env bash
# Compares each selected artifact with the one of the base.
# In: BASE, BASE_FOLDER, DIFF_FAIL_ON, BIN, COUNT. Out: code (1: a change that DIFF_FAIL_ON names).
. "${BASH_SOURCE[0]%/*}/common.sh"
step compare
