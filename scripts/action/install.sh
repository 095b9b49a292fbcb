#!/usr/bin/env bash
# Installs pte-lint into a virtual environment of its own.
# In: INSTALL (what pip installs; empty: this checkout), PYTHON. Out: bin.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

venv="$work/venv"
"${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check "${INSTALL:-${ACTION:?}}"
"$venv/bin/pte-lint" --version
output bin "$venv/bin"
