#!/usr/bin/env bash
# Lists the artifacts to check: the given paths, or what differs from the base commit.
# In: PATHS (one per line), BASE, BIN. Out: count, and the list.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

paths=()
while IFS= read -r line; do
    if [ -n "$line" ]; then
        paths+=("$line")
    fi
done <<< "${PATHS:-}"

if [ "${#paths[@]}" -gt 0 ]; then
    # The same expansion of folders and globs as on the command line.
    "${BIN:?}/python" - "${paths[@]}" > "$list" << 'END'
import sys
from pte_lint.cli.errors import Trouble
from pte_lint.cli.paths import gather

try:
    inputs, remarks = gather(sys.argv[1:])
except Trouble as trouble:
    trouble.show()
    sys.exit(trouble.exit_code)
for remark in remarks:
    print(remark, file=sys.stderr)
sys.stdout.write("".join(f"{each.name}\0" for each in inputs))
END
elif [ -n "${BASE:-}" ]; then
    if ! git cat-file -e "$BASE^{commit}" 2> /dev/null; then
        git fetch --quiet --depth=1 origin "$BASE"
    fi
    # Compares trees, so that a shallow clone will do.
    git diff --name-only -z --relative --diff-filter=d "$BASE" HEAD -- \
        ':(glob,icase)**/*.pte' ':(glob,icase)**/*.ptd' ':(glob,icase)**/*.bpte' > "$list"
else
    echo "nothing to select: give paths, or run on a pull request" >&2
    exit 2
fi

count="$(tr -cd '\0' < "$list" | wc -c | tr -d ' ')"
echo "artifacts to check: $count"
output count "$count"
