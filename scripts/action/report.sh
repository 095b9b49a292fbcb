#!/usr/bin/env bash
# Puts settings, findings and changes into one Markdown report, and into the summary of the job.
# In: COUNT, BIN. Out: report, comment (the report as far as a comment may be
# long), news (whether there is anything to comment on).
. "${BASH_SOURCE[0]%/*}/common.sh"
step report
