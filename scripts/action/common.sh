# What the steps of the action share. The working folder is a checkout that nobody has vetted:
# nothing in it may be run, imported or read as settings by a tool that is started here.
# Values reach the steps through the environment only; nothing from a pull request is ever put
# into the text of a script.
set -euo pipefail
unset BASH_ENV ENV CDPATH GLOBIGNORE

here="$(cd "${BASH_SOURCE[0]%/*}" && pwd -P)"
workspace="$(pwd -P)"

# Python is started with -I, which ignores these; what it starts in turn may not be.
for name in "${!PYTHON@}" "${!PIP_@}"; do
    [ "$name" = PYTHON ] || unset "$name"
done

# Leaves on the path only folders that are absolute and lie outside of the checkout.
clean_path() {
    local rest="$PATH:" folder real kept=""
    while [ -n "$rest" ]; do
        folder="${rest%%:*}"
        rest="${rest#*:}"
        case "$folder" in /*) ;; *) continue ;; esac
        real="$(cd "$folder" 2> /dev/null && pwd -P)" || continue
        case "$real/" in "${workspace%/}"/*) continue ;; esac
        kept="$kept${kept:+:}$folder"
    done
    PATH="$kept"
    hash -r
}
clean_path

work="${RUNNER_TEMP:?}/pte-lint"
mkdir -p "$work"

# Sets an output of the step. Values are one line each.
output() {
    case "$2" in *[$'\n\r']*) echo "an output of several lines" >&2; exit 2 ;; esac
    printf '%s=%s\n' "$1" "$2" >> "${GITHUB_OUTPUT:?}"
}

# Goes on as a step that is written in Python: names of files are no business of a shell.
step() {
    exec "${BIN:?}/python" -I -B "$here/step.py" "$1"
}
