#!/bin/sh
# Bad input from people: every row of bad_input.tsv is a command, the one line that it has to say on standard error, and
# its exit status. 0 and no line: what only looks like bad input is taken.
set -u
. tests/cli/lib.sh
table=$(pwd)/tests/cli/bad_input.tsv
golden=$(pwd)/tests/golden/nanogpt.init.npz
stored=$(pwd)/tests/fuzz/seeds/fuzz_archive
cd "$work" || exit 1

# What the commands are tried on: a model of 65 characters (context 16), one of 4 ids (context 3), texts, a recipe.
cp "$golden" chars.npz
cp "$stored/int8.deflated" ids.npz
mkdir run empty
cp chars.npz run/best.npz
awk 'BEGIN { for (i = 0; i < 200; i++) print "# a text" }' >text.txt
printf '\001\000\002\000\003\000\000\000\001\000\002\000\003\000\000\000' >tokens.bin
printf 'data = text.txt\nn_layer = 1\nn_head = 2\nn_embd = 32\nblock_size = 8\nmax_iters = 1\n' >ok.conf

# conf TEXT: a config file of these lines.
conf() {
    printf '%b' "$1" >bad.conf
}

# many COUNT TEXT: the text so often.
many() {
    awk -v n="$1" -v text="$2" 'BEGIN { while (n--) printf "%s", text }'
}

infer() {
    program=sawtooth-infer
    "$infer" "$@"
}

train() {
    program=sawtooth-train
    "$train" "$@"
}

rows=0
while IFS='	' read -r status command message; do
    case $status in '' | '#'*) continue ;; esac
    rows=$((rows + 1))
    found=0 first='' second=''
    eval "$command" </dev/null >stdout 2>stderr || found=$?
    [ "$found" = "$status" ] || fail "$command: exit status $found, expected $status"
    [ "$status" != 0 ] || continue
    { IFS= read -r first && IFS= read -r second; } <stderr
    [ "$first" = "$program: $message" ] ||
        fail "$command:$(printf '\n    found:    %s\n    expected: %s' "$first" "$program: $message")"
    [ -z "$second" ] || fail "$command: says more: $second"
    [ ! -s stdout ] || fail "$command: has written to standard output"
done <"$table"
[ ! -e out ] || fail "a refused run has left out"
[ "$rows" -ge 150 ] || fail "only $rows rows"
finish bad_input.sh
