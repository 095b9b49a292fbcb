#!/usr/bin/env bash
# Compares each selected artifact with the one of the base.
# In: BASE, BASE_FOLDER, DIFF_FAIL_ON, BIN, COUNT. Out: code (1: a change that DIFF_FAIL_ON names).
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
if [ "${COUNT:-0}" = 0 ] || { [ -z "${BASE:-}" ] && [ -z "${BASE_FOLDER:-}" ]; }; then
    output code 0
    exit 0
fi

conditions=()
if [ -n "${DIFF_FAIL_ON:-}" ]; then
    conditions=(--fail-on "$DIFF_FAIL_ON")
fi

# Puts the base's version of an artifact into $old; fails when there is none.
old="$work/old"
fetch_old() {
    local name
    name="$(realpath --no-symlinks --relative-to=. -- "$1")"
    if [ -n "${BASE_FOLDER:-}" ]; then
        [ -f "$BASE_FOLDER/$name" ] && cp -- "$BASE_FOLDER/$name" "$old"
    else
        # With filters, so that Git LFS gives the content where it is installed. The path is one of
        # the working folder, which need not be the top of the repository.
        git cat-file --filters "$BASE:./$name" > "$old" 2> /dev/null
    fi
}

code=0
: > "$work/diff.md"
mapfile -d '' -t files < "$list"
for file in "${files[@]}"; do
    if ! fetch_old "$file"; then
        echo "new: $file"
        continue
    fi
    if cmp -s -- "$old" "$file"; then
        echo "the same: $file"
        continue
    fi
    mine=0
    "${BIN:?}/pte-lint" diff --format markdown "${conditions[@]}" -- "$old" "$file" \
        > "$work/one.md" 2> "$work/one.err" || mine=$?
    cat "$work/one.err" >&2
    if [ "$mine" -le 1 ]; then
        { cat "$work/one.md"; echo; } >> "$work/diff.md"
        echo "changed: $file"
    else
        echo "cannot be compared: $file"
    fi
    if [ "$mine" = 1 ]; then
        code=1
    elif [ "$mine" -gt 1 ] && [ "$code" = 0 ] && [ -n "${DIFF_FAIL_ON:-}" ]; then
        # What was asked for cannot be answered.
        code=2
    fi
done
output code "$code"
