#!/usr/bin/env bash
# Fails the job for findings and for changes, now that everything is reported.
# In: CODE (of the check), DIFF_CODE (of the comparison).
. "${BASH_SOURCE[0]%/*}/common.sh"

if [ "${CODE:?}" != 0 ]; then
    echo "pte-lint check ended with $CODE"
    exit "$CODE"
fi
if [ "${DIFF_CODE:?}" != 0 ]; then
    echo "pte-lint diff ended with $DIFF_CODE"
    exit "$DIFF_CODE"
fi
