#!/bin/sh
# Every command of the README that runs one of the programs, on a short run of the recipe it trains: each must succeed.
# The commands that begin with make or setup.sh are run by continuous integration.
set -u
. tests/cli/lib.sh
root=$(pwd)
corpus=$root/data/tinyshakespeare/input.txt
[ -f "$corpus" ] || corpus=$root/data/play/input.txt
mkdir -p "$work/data/tinyshakespeare"
head -c 120000 "$corpus" >"$work/data/tinyshakespeare/input.txt"
ln -s "$build" "$work/build"
ln -s "$root/configs" "$work/configs"
grep -E '^    (build/|cmp |python3 )' README.md | sed 's/ *# .*//' >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 8 ] || fail "README.md: fewer commands than expected"
cd "$work" || exit 1

while read -r command; do
    case $command in
    *sawtooth-train\ configs/* | *sawtooth-train\ --data*) command="$command --max_iters=40 --eval_interval=20" ;;
    python3*) python3 -c 'import numpy' 2>/dev/null || continue ;;
    esac
    sh -c "$command" >out.log 2>err.log </dev/null || fail "$command: $(tail -n 1 err.log)"
done <commands
finish readme
