#!/bin/sh
# Training beside PyTorch on this machine, in turns: Markdown on standard output, the same figures in
# build/bench/peers.json. Called by `make bench-peers`. PyTorch comes by pip into build/peers (5 GB) unless PYTHON names a
# python3 that has it. ROUNDS=5 measures more often; FULL=1 also trains shakespeare-small in full, with both.
set -eu
build=${BUILD:-build}
bench=$build/bench
figures=$bench/peers.json
rounds=${ROUNDS:-3}
corpus=data/tinyshakespeare/input.txt
[ -f "$corpus" ] || corpus=data/play/input.txt
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE

has_torch() { "$1" -c 'import torch' 2>/dev/null; }

python=${PYTHON:-$build/peers/bin/python}
if ! has_torch "$python"; then
    echo "installing PyTorch to $build/peers; the log is $build/peers.log" >&2
    python=$build/peers/bin/python
    { python3 -m venv "$build/peers" && "$python" -m pip install torch numpy; } >"$build/peers.log" 2>&1 || true
fi
if ! has_torch "$python"; then
    echo "bench-peers: skipped, PyTorch is not here and pip cannot install it: $(tail -n 1 "$build/peers.log")"
    exit 0
fi

rm -f "$figures"
"$bench/evaluation" "$figures" "$rounds" configs/shakespeare-small.conf
for recipe in shakespeare shakespeare-small; do
    "$python" tests/bench/peers.py "$figures" "$rounds" "configs/$recipe.conf" \
        --updates "$bench/updates" --train "$build/sawtooth-train" --data "$corpus" ${FULL:+--full}
done
echo
echo "the figures are in $figures"
