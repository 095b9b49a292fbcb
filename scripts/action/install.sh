#!/usr/bin/env bash
# Installs pte-lint into a virtual environment of its own, from a folder with nothing in it.
# In: INSTALL (what pip installs, one argument per line; empty: this checkout of the action),
# PYTHON. Out: bin.
. "${BASH_SOURCE[0]%/*}/common.sh"

rm -rf -- "$work"
mkdir -m 700 -- "$work" "$work/empty"
cd "$work/empty"

wanted=()
while IFS= read -r line; do
    line="${line%$'\r'}"
    if [ -n "$line" ]; then
        wanted+=("$line")
    fi
done <<< "${INSTALL:-${ACTION:?}}"

venv="$work/venv"
"${PYTHON:-python3}" -I -m venv "$venv"
"$venv/bin/python" -I -m pip --isolated install --quiet --disable-pip-version-check "${wanted[@]}"
"$venv/bin/python" -I -m pte_lint --version
output bin "$venv/bin"
