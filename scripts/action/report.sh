#!/usr/bin/env bash
# Puts findings and changes into one Markdown report and into the summary of the job.
# In: COUNT. Out: report.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

report="$work/report.md"
output report "$report"
if [ "${COUNT:-0}" = 0 ]; then
    echo "No artifact differs from the base." > "$report"
else
    : > "$report"
    for part in check diff; do
        if [ -s "$work/$part.md" ]; then
            { cat "$work/$part.md"; echo; } >> "$report"
        fi
    done
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    # A summary may have 1 MiB.
    head -c 1000000 "$report" >> "$GITHUB_STEP_SUMMARY"
fi
