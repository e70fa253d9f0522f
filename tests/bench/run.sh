#!/bin/sh
# Measures training beside what this machine can do: Markdown on standard output, the same figures in
# build/bench/bench.json. Called by `make bench`. ROUNDS=3 makes it shorter (9 is the default of what is quick).
set -eu
build=${BUILD:-build}
bench=$build/bench
figures=$bench/bench.json
rounds=${ROUNDS:-9}
few=$(((rounds + 1) / 2))
corpus=data/tinyshakespeare/input.txt
[ -f "$corpus" ] || corpus=data/play/input.txt
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
rm -f "$figures"

# OpenBLAS is to choose its kernels for this processor itself.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE

processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
echo "${processor:-$(uname -m)}, $(nproc) processors, $(date +%F)"
"$bench/machine" "$figures" "$rounds"
"$bench/products" "$figures" "$rounds" configs/shakespeare.conf

training() { "$bench/training" "$figures" "$@"; }
training "$few" configs/shakespeare.conf
training 1 configs/shakespeare.conf --batch_size=256
training "$rounds" configs/shakespeare-small.conf
training 2 configs/gpt2-124m.conf --block_size=256 --batch_size=4 --grad_accum=1
training 2 configs/gpt2-124m.conf --batch_size=4 --grad_accum=1
training "$few" configs/shakespeare.conf --batch_size=16 \
    + --threads=1 + --dropout=0 --embd_dropout=0 + --kernels=avx2 + --kernels=openblas

"$bench/breakdown" "$figures" "$few" configs/shakespeare.conf --batch_size=16 + --dropout=0 --embd_dropout=0
"$bench/breakdown" "$figures" "$rounds" configs/shakespeare-small.conf

"$bench/evaluation" "$figures" "$few" configs/shakespeare.conf
"$bench/evaluation" "$figures" "$rounds" configs/shakespeare-small.conf

# A whole run of the small recipe; of the large one, whose 250 updates between evaluations take long, two of them
# counted 125 times each.
whole_run() {
    FIGURES=$figures "$bench/whole_run" "$@" --data="$corpus" 2>"$runs/log" || { cat "$runs/log" >&2; exit 1; }
}
whole_run configs/shakespeare-small.conf --out_dir="$runs/shakespeare-small"
STRETCH=125 whole_run configs/shakespeare.conf --max_iters=4 --eval_interval=2 --out_dir="$runs/shakespeare"
echo
echo "the figures are in $figures"
