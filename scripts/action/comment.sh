#!/usr/bin/env bash
# Comments the report on the pull request, always in the same comment. A token that may not comment
# (that of a fork's pull request) is no reason to fail.
# In: REPORT, REPOSITORY, NUMBER, GH_TOKEN, COUNT.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

marker="<!-- pte-lint -->"
# A comment may have 65536 characters.
limit="${COMMENT_LIMIT:-60000}"

body="$work/comment.md"
{
    echo "$marker"
    head -c "$limit" "${REPORT:?}" | iconv -c -f utf-8 -t utf-8
    if [ "$(wc -c < "$REPORT")" -gt "$limit" ]; then
        printf '\n\n... cut; the summary of the job has all of it.\n'
    fi
} > "$body"

comments="repos/${REPOSITORY:?}/issues/${NUMBER:?}/comments"
query=".[] | select(.body | startswith(\"$marker\")) | .id"
known="$(gh api --paginate "$comments" --jq "$query" | head -n 1)" || known=""
if [ -n "$known" ]; then
    gh api --method PATCH "repos/$REPOSITORY/issues/comments/$known" -F "body=@$body" > /dev/null \
        || echo "::warning::pte-lint may not change its comment; does the token have pull-requests: write?"
elif [ "${COUNT:-0}" != 0 ]; then
    gh api --method POST "$comments" -F "body=@$body" > /dev/null \
        || echo "::warning::pte-lint may not comment; does the token have pull-requests: write?"
fi
