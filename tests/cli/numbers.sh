#!/bin/sh
# Numbers that go wrong in a run: it stops with one line that names the last good checkpoint, which loads, goes on and
# holds no number that is not finite; what is merely large does not stop it.
set -u
. tests/cli/lib.sh
tests=$(pwd)/tests
seq 500 >"$work/text.txt"
cd "$work" || exit 1

tiny_recipe text.txt
cat >>tiny.conf <<'END'
max_iters = 20
warmup_iters = 0
decay = none
eval_interval = 10
save_interval = 1
log_interval = 1
END

# stops ITERATION MESSAGE ARGUMENT...: exit status 1 and MESSAGE; last.npz is of this iteration, and sound.
stops() {
    iteration=$1
    message="sawtooth-train: $2: stopped; out/last.npz is the last good checkpoint"
    shift 2
    rm -rf out
    ends 1 "$message" "$train" tiny.conf "$@"
    succeeds "$infer" info out/last.npz
    grep -qx "iteration = $iteration" stdout || fail "$*: last.npz is of another iteration than $iteration"
    ! grep -q 'not finite' stdout || fail "$*: last.npz holds a number that is not finite"
    succeeds "$infer" generate out/last.npz -n 5
    succeeds "$train" --resume out --max_iters="$iteration"
}

stops 0 "iteration 1: the loss is nan, the gradient's norm nan" --learning_rate=1e18 --grad_clip=0
stops 0 "iteration 1: the validation loss is nan" --learning_rate=1e18 --grad_clip=0 --eval_interval=1
stops 0 "iteration 1: the loss is nan, the gradient's norm nan" --learning_rate=1e39
stops 1 "iteration 2: the loss is nan, the gradient's norm nan" --weight_decay=1e30

# Nor is what a signal has saved in a hurry: weights that are not finite, or whose loss is not.
for rate in 1e39 1e18; do
    rm -rf out
    "$train" tiny.conf --learning_rate=$rate --grad_clip=0 --batch_size=256 --grad_accum=100 >stdout 2>stderr &
    eventually grep -q '^0/20  validation' stderr # and a slow first iteration
    kill -s TERM $!
    wait $!
    status=$?
    [ $status = 1 ] && [ "$(tail -n 1 stderr)" = "sawtooth-train: iteration 1: the loss of one window is nan: stopped; \
out/last.npz is the last good checkpoint" ] || fail "rate $rate, and a signal: $(tail -n 1 stderr)"
    succeeds "$infer" generate out/last.npz -n 5
done

# Nor are weights that no loss shows: those of a character that the text has once, which a decay of 10 turns over.
if python3 -c 'import numpy' 2>/dev/null; then
    rm -rf out
    (printf '\176\n' && cat text.txt) >rare.txt
    succeeds "$train" tiny.conf --data=rare.txt --tie_weights=false --max_iters=0 --learning_rate=1 --weight_decay=10 \
        --decay=none --warmup_iters=0 --eval_interval=1
    python3 "$tests/cli/set_row.py" out/last.npz huge.npz transformer.wte.weight -1 3e38
    mv huge.npz out/last.npz
    cp out/last.npz before.npz
    ends 1 "sawtooth-train: after 1 iterations a weight of transformer.wte.weight is not finite: stopped; out/last.npz is \
the last good checkpoint" "$train" --resume out --max_iters=5
    same out/last.npz before.npz
else
    echo "numbers.sh: no numpy: weights that no loss shows are not tested"
fi

# Attention's scores may be large, where to scale them rounds: 1 / sqrt(8).
rm -rf out
succeeds "$train" tiny.conf --init_std=1e5 --grad_clip=0 --n_head=4

# Gradients a thousand times too long are clipped.
rm -rf out
succeeds "$train" tiny.conf --init_std=100
awk -F , 'NR > 1 && $6 != "" && $6 > 100 { found = 1 } END { exit !found }' out/metrics.csv ||
    fail "clipping: no gradient was too long"
succeeds "$infer" info out/last.npz
! grep -q 'not finite' stdout || fail "clipping: a number is not finite"

finish numbers.sh
