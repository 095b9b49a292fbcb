# What the steps of the action share: a work folder, outputs, and the list of artifacts.
# Values reach the steps through the environment only; nothing from a pull request is ever put
# into the text of a script.
set -euo pipefail

work="${RUNNER_TEMP:?}/pte-lint"
mkdir -p "$work"
# One artifact after the other, each ended by a NUL: names may hold anything else.
list="$work/artifacts"

# Sets an output of the step. Values are one line each.
output() {
    printf '%s=%s\n' "$1" "$2" >> "${GITHUB_OUTPUT:?}"
}
