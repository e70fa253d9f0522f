#!/bin/sh
# kill -9 at random moments of a run that saves every few iterations: what is there always loads and goes on, and the
# run ends as if nothing had happened. KILL_SEED repeats the moments of an earlier test, KILLS sets their number.
set -u
. tests/cli/lib.sh
seed=${KILL_SEED:-$(date +%s)}
kills=${KILLS:-20}
iterations=$((30 * kills)) # as many between two kills, however many there are
echo "kill.sh: KILL_SEED=$seed"
seq 5000 >"$work/text.txt"
cd "$work" || exit 1

cat >tiny.conf <<END
n_layer = 1
n_head = 2
n_embd = 32
block_size = 16
data = ../text.txt
batch_size = 2
max_iters = $iterations
warmup_iters = 5
eval_interval = 12
save_interval = 3
log_interval = 1
END

start_or_resume() {
    if [ -e out/config.conf ]; then exec "$train" --resume out; else exec "$train" ../tiny.conf; fi
}

# Every checkpoint that is there is whole.
check_files() {
    for file in out/last.npz out/best.npz; do
        [ ! -e $file ] || succeeds "$infer" info $file
    done
}

mkdir disturbed undisturbed
cd undisturbed || exit 1
began=$(date +%s%N)
succeeds "$train" ../tiny.conf
took=$(($(date +%s%N) - began))

# Together the moments are as long as the run, so that most kills come while it trains.
awk -v seed="$seed" -v n="$kills" -v took="$took" '
    BEGIN { srand(seed); for (i = 0; i < n; i++) printf "%.3f\n", rand() * 1.5 * took / n / 1e9 }' >../moments
cd ../disturbed || exit 1
resumed=0
while read -r moment; do
    [ ! -e out/last.npz ] || resumed=$((resumed + 1))
    start_or_resume >/dev/null 2>stderr &
    sleep "$moment"
    kill -s KILL $! 2>/dev/null
    wait $! 2>/dev/null
    check_files
done <../moments
left=$(tail -n 1 out/metrics.csv | cut -d , -f 1)
echo "kill.sh: $kills kills left $left of $iterations iterations; $resumed of them came after a checkpoint"
[ "$resumed" -ge $((kills / 2)) ] || fail "most kills came before there was anything to lose"
succeeds "$train" --resume out

for file in last.npz best.npz config.conf; do same out/$file ../undisturbed/out/$file; done
for run in . ../undisturbed; do cut -d , -f 1-6 $run/out/metrics.csv >$run/figures; done
same figures ../undisturbed/figures
[ "$(echo out/*)" = "out/best.npz out/config.conf out/last.npz out/lock out/metrics.csv" ] || fail "left:" out/*

finish kill.sh
