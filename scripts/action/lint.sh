#!/usr/bin/env bash
# Checks the selected artifacts; prints annotations and writes the reports. Never fails for
# findings: verdict.sh does, when everything is reported.
# In: ARGS (one per line), BIN, COUNT. Out: code, sarif, json.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
output sarif "$work/pte-lint.sarif"
output json "$work/pte-lint.json"
if [ "${COUNT:-0}" = 0 ]; then
    output code 0
    exit 0
fi

args=()
while IFS= read -r line; do
    if [ -n "$line" ]; then
        args+=("$line")
    fi
done <<< "${ARGS:-}"
mapfile -d '' -t files < "$list"

code=0
"${BIN:?}/pte-lint" check --format github \
    --output "sarif=$work/pte-lint.sarif" \
    --output "json=$work/pte-lint.json" \
    --output "markdown=$work/check.md" \
    "${args[@]}" -- "${files[@]}" || code=$?
output code "$code"
