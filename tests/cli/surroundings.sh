#!/bin/sh
# What surrounds a run: names, descriptors, limits, signals, files that change. Each must end in a saved run or in one
# clear line.
set -u
. tests/cli/lib.sh
seq 5000 >"$work/text.txt"
cd "$work" || exit 1

cat >tiny.conf <<'END'
n_layer = 1
n_head = 2
n_embd = 32
block_size = 16
data = text.txt
batch_size = 2
max_iters = 20
eval_interval = 10
log_interval = 5
END

# ---- Names ----

succeeds "$train" tiny.conf
cp -r out 'exp #2'
for name in 'exp #2' 'exp 2 ' '#' "$(printf 'two\nlines')"; do
    [ -e "$name" ] || cp -r out "$name"
    shown=$(printf '%s' "$name" | tr '\n' '?')
    refused "sawtooth-train: --resume: out_dir must be one line without a blank at either end and without # or ; at its \
start or after a blank, not \"$shown\"" "$train" --resume "$name"
    succeeds "$infer" info "$name/last.npz"
done
mv 'exp #2' 'exp#2;3 é'
succeeds "$train" --resume 'exp#2;3 é' --max_iters=25
succeeds "$infer" info 'exp#2;3 é/last.npz'

finish surroundings.sh
