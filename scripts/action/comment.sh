#!/usr/bin/env bash
# Comments the report on the pull request, always in the same comment. A token that may not comment
# (that of a fork's pull request) is no reason to fail.
# In: COMMENT (the file), REPOSITORY, NUMBER, GH_TOKEN, NEWS.
. "${BASH_SOURCE[0]%/*}/common.sh"
mkdir -p "$work/empty"
cd "$work/empty"

comments="repos/${REPOSITORY:?}/issues/${NUMBER:?}/comments"
# A stranger can begin a comment with our marker; to change it would put our words into theirs.
ours='(.user.type == "Bot" or (.author_association | IN("OWNER", "MEMBER", "COLLABORATOR")))'
query=".[] | select((.body | startswith(\"<!-- pte-lint -->\")) and $ours) | .id"
known="$(gh api --paginate "$comments" --jq "$query")" || known=""
known="${known%%$'\n'*}"
if [ -n "$known" ]; then
    gh api --method PATCH "repos/$REPOSITORY/issues/comments/$known" -F "body=@${COMMENT:?}" > /dev/null \
        || echo "::warning::pte-lint may not change its comment; does the token have pull-requests: write?"
elif [ "${NEWS:-}" = true ]; then
    gh api --method POST "$comments" -F "body=@${COMMENT:?}" > /dev/null \
        || echo "::warning::pte-lint may not comment; does the token have pull-requests: write?"
fi
