#!/bin/sh
# What `make demo` shows: a model is trained for about half a minute, continues a text, and its cache is proved.
set -eu
build=${BUILD:-build}
corpus=data/tinyshakespeare/input.txt
[ -f "$corpus" ] || corpus=data/play/input.txt
run=out/demo

echo "== training configs/quick.conf on $corpus"
"$build/sawtooth-train" configs/quick.conf --data="$corpus" --out_dir="$run" --overwrite
echo
echo "== text that it writes, far past its context window"
"$build/sawtooth-infer" generate "$run" -n 400 --temperature 0.8
echo
echo "== cached against uncached, on these trained weights"
"$build/sawtooth-infer" check "$run" --text "$corpus"
