#!/bin/sh
# A short training run, a resumed one and every command of sawtooth-infer under valgrind, which finds reads of memory
# that nothing was written to, and leaks. It knows no AVX-512: AVX2 and the portable kernels are used, and the results must
# be the ones that the processor gives. Called by make valgrind.
set -u
. tests/cli/lib.sh
supp=$PWD/tests/valgrind.supp
seq 200 >"$work/text.txt"
cd "$work" || exit 1

cat >tiny.conf <<'END'
n_layer = 2
n_head = 2
n_embd = 24
block_size = 8
dropout = 0.1
data = ../text.txt
batch_size = 3
grad_accum = 2
max_iters = 4
eval_interval = 2
sample_tokens = 3
threads = 2
END

# checked COMMAND...: under valgrind.
checked() {
    valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all \
        --suppressions="$supp" \
        "$@" >"$work/stdout" 2>"$work/stderr" || fail "$*: exit status $?: $(grep -m 5 '^==' "$work/stderr")"
}

mkdir native checked
cd native && succeeds "$train" ../tiny.conf
cd ../checked || exit 1
checked "$train" ../tiny.conf --kernels=plain --max_iters=2
checked "$train" --resume out --kernels=avx2 --max_iters=4
for run in . ../native; do
    "$infer" info $run/out/last.npz | grep fingerprint >$run/fingerprint
done
same fingerprint ../native/fingerprint

for command in "generate out -n 20 --keep 3" "generate out -n 4 --samples 3 --top-k 4 --top-p 0.9" \
    "generate out -n 20 --no-cache --weights f16" "convert out --weights int8 --out int8.npz" \
    "info int8.npz" "generate int8.npz -n 20" "logits out --tokens 1,2,3 --out logits.npy" \
    "eval out --text ../text.txt --split all" "window out --text ../text.txt -n 10" "check out"; do
    case $command in convert* | info*) how= ;; *) how="--kernels plain --threads 2" ;; esac
    # shellcheck disable=SC2086
    checked "$infer" $command $how
done
valgrind --quiet --error-exitcode=99 --leak-check=full "$infer" generate no.npz >stdout 2>stderr
[ $? = 2 ] || fail "a refused command: $(cat stderr)"

finish valgrind.sh
