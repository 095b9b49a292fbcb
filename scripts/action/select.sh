#!/usr/bin/env bash
# Lists the artifacts to check, and takes the settings from the base branch.
# In: PATHS, ARGS (one per line), BASE, PR_BASE, PR_HEAD, QUEUE_BASE, EVENT, CONFIG_FROM, BIN.
# Out: count.
. "${BASH_SOURCE[0]%/*}/common.sh"
step select
