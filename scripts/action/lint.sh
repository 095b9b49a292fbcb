#!/usr/bin/env bash
# Checks the selected artifacts; prints annotations and writes the reports. Never fails for
# findings: verdict.sh does, when everything is reported.
# In: ARGS (one per line), BIN, COUNT. Out: code, sarif, json.
. "${BASH_SOURCE[0]%/*}/common.sh"
step lint
