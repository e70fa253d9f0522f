#!/bin/sh
# The proofs that take longer than `make test` may: nanogpt's recipe for a CPU trained in full for three seeds, and on
# its weights the equivalence table with every size walked, text of three contexts by both ways, and numpy's logits;
# long runs, each call of the system made to fail, 200 kills, files of gigabytes.
set -u
. tests/cli/lib.sh
corpus=data/tinyshakespeare/input.txt
[ -f "$corpus" ] || corpus=data/play/input.txt

for seed in 1337 1 2; do
    succeeds "$train" configs/shakespeare-small.conf --data="$corpus" --seed=$seed --out_dir="$work/small-$seed"
    "$infer" eval "$work/small-$seed" --text "$corpus" >"$work/eval" || fail "eval of seed $seed"
    loss=$(sed -n 's/^loss = //p' "$work/eval")
    echo "shakespeare-small, seed $seed: exact validation loss $loss"
    [ "$corpus" = data/play/input.txt ] || awk "BEGIN { exit !($loss <= 1.92) }" || fail "seed $seed: $loss is above 1.92"
done

model=$work/small-1337
for weights in f32 f16 int8; do
    "$infer" check "$model" --text "$corpus" --full --weights $weights || fail "check --weights $weights"
done
for keep in 1 17 32 64; do
    succeeds "$infer" generate "$model" -n 192 --keep $keep && mv "$work/stdout" "$work/cached"
    succeeds "$infer" generate "$model" -n 192 --keep $keep --no-cache
    same "$work/stdout" "$work/cached"
done
SAWTOOTH_INFER=$infer sh tests/interop/run.sh "$model" || fail "numpy's logits"
sh tests/soak.sh || fail "long runs"
for suite in test_faults test_faults_infer test_large; do
    LONG_TESTS=1 CK_TIMEOUT_MULTIPLIER=20 "$build/tests/$suite" || fail "$suite"
done
KILLS=${KILLS:-200} sh tests/cli/kill.sh || fail "kills"
finish long
