#!/bin/sh
# Does numpy alone read our checkpoints and compute the same logits?
#   tests/interop/run.sh [MODEL ...]      the golden checkpoints, also with narrow weights, then each MODEL (an .npz or a run directory)
# PYTHON and SAWTOOTH_INFER name other programs to use. Exit status 1: some logits differ.
set -eu
here=$(dirname "$0")
infer=${SAWTOOTH_INFER:-$here/../../build/sawtooth-infer}

for python in "${PYTHON:-python3}" /usr/bin/python3 none; do
    if "$python" -c 'import numpy' 2>/dev/null; then break; fi
done
if [ "$python" = none ]; then
    echo "interop: skipped, python3 has no numpy"
    exit 0
fi
if [ ! -x "$infer" ]; then
    echo "interop: $infer is not there; expected a built sawtooth-infer (make)" >&2
    exit 2
fi

failed=0
narrow=$(mktemp -d)
trap 'rm -rf "$narrow"' EXIT
for init in "$here"/../golden/*.init.npz; do
    "$python" "$here/logits.py" "$init" --expect "${init%.init.npz}.expect.npz" || failed=1
    "$python" "$here/logits.py" "$init" --infer "$infer" || failed=1
    for type in f16 int8; do
        "$infer" convert "$init" --weights $type --out "$narrow/$type.npz" || failed=1
        "$python" "$here/logits.py" "$narrow/$type.npz" --infer "$infer" || failed=1
    done
done
for model in "$@"; do
    if [ -d "$model" ]; then model=$model/best.npz; fi
    "$python" "$here/logits.py" "$model" --infer "$infer" || failed=1
done
exit "$failed"
