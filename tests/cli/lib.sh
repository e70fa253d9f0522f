# shellcheck shell=sh disable=SC2034
# What the command-line tests share; to be sourced from the repository's root. Each test works in a directory of its
# own, which is removed at the end, and calls finish last.
build=$(cd "${SAWTOOTH_BUILD:-build}" && pwd)
train=$build/sawtooth-train
infer=$build/sawtooth-infer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# Counted in a file, for what fails in a pipe or in parentheses too.
fail() {
    echo "FAILED: $*" | tee -a "$work/failures" >&2
}

finish() {
    [ -e "$work/failures" ] || { echo "$1: all passed" && exit 0; }
    echo "$1: $(grep -c ^FAILED "$work/failures") failed" >&2
    exit 1
}

# succeeds COMMAND...: exit status 0. Output is left in $work/stdout and $work/stderr.
succeeds() {
    "$@" >"$work/stdout" 2>"$work/stderr" && return 0
    fail "$*: exit status $?: $(tail -n 1 "$work/stderr")"
}

# ends STATUS MESSAGE COMMAND...: this exit status, nothing on standard output, and MESSAGE the last line on standard
# error.
ends() {
    status=$1
    message=$2
    shift 2
    found=0
    "$@" >"$work/stdout" 2>"$work/stderr" || found=$?
    [ "$found" = "$status" ] || fail "$*: exit status $found, expected $status"
    [ "$(tail -n 1 "$work/stderr")" = "$message" ] ||
        fail "$*:$(printf '\n    found:    %s\n    expected: %s' "$(tail -n 1 "$work/stderr")" "$message")"
    [ ! -s "$work/stdout" ] || fail "$*: has written to standard output"
}

# refused MESSAGE COMMAND...: exit status 2, and the message is all there is.
refused() {
    ends 2 "$@"
    [ "$(wc -l <"$work/stderr")" = 1 ] || fail "$*: more than one line on standard error"
}

# same FILE FILE: equal bytes.
same() {
    cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

# eventually COMMAND...: becomes true within ten seconds.
eventually() {
    for _ in $(seq 200); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.05
    done
    fail "$*: not after ten seconds"
}

# tiny_recipe DATA: a model that trains in no time, as tiny.conf in the current directory; a test adds its other keys.
tiny_recipe() {
    printf '%s\n' 'n_layer = 1' 'n_head = 2' 'n_embd = 32' 'block_size = 16' 'batch_size = 2' "data = $1" >tiny.conf
}
