#!/bin/sh
# Training and generation on several threads in a build with ThreadSanitizer, which ends a program at its first data
# race. The portable kernels are the ones that are watched. Called by make tsan.
set -u
. tests/cli/lib.sh
seq 300 >"$work/text.txt"
cd "$work" || exit 1
export TSAN_OPTIONS=halt_on_error=1:exitcode=66

cat >tiny.conf <<'END'
n_layer = 2
n_head = 3
n_embd = 24
block_size = 12
dropout = 0.1
embd_dropout = 0.1
data = text.txt
batch_size = 5
grad_accum = 3
max_iters = 6
eval_interval = 2
save_interval = 1
log_interval = 1
sample_tokens = 20
kernels = plain
threads = 4
END

succeeds "$train" tiny.conf --max_iters=4
succeeds "$train" --resume out --max_iters=6 --threads=3
succeeds "$train" tiny.conf --out_dir=untied --tie_weights=false --bias=true --qkv_bias=true --eval=sampled --eval_iters=3
succeeds "$train" tiny.conf --out_dir=rows --block_size=160 --val_fraction=0.3 --batch_size=3 --threads=2 --max_iters=2 # split by rows

"$train" tiny.conf --out_dir=stopped --max_iters=1000000 2>stderr &
eventually grep -q '^3,' stopped/metrics.csv
kill -s INT $!
wait $!
status=$?
[ $status = 130 ] || fail "after SIGINT exit status $status: $(grep -m 1 -A 20 WARNING stderr)"

for command in "generate out -n 60" "generate out -n 30 --samples 5 --keep 3" "generate out -n 20 --no-cache" \
    "generate untied -n 30 --weights int8" "eval out --text text.txt --split all" \
    "window out --text text.txt -n 20" "check untied" "check untied --cache f16"; do
    # shellcheck disable=SC2086
    succeeds "$infer" $command --kernels plain --threads 4
done
succeeds "$infer" convert out --weights f16 --out f16.npz

finish races.sh
