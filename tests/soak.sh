#!/bin/sh
# Long runs: memory and descriptors stay flat over 10^5 updates with evaluations, saves and a resumption, and over 10^6
# generated tokens, which are the same without a cache; a run on a token file of 5 GB. Called by tests/long.sh.
set -u
. tests/cli/lib.sh
seq 5000 >"$work/text.txt"
mkdir "$work/soak" "$work/at-once" && cd "$work/soak" || exit 1

# resident PID: memory of a process, in KB.
resident() {
    sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB$/\1/p' "/proc/$1/status"
}

descriptors() {
    find "/proc/$1/fd" -mindepth 1 | wc -l
}

# watch WHAT PID MORE FILE BYTES: from when FILE has so many bytes until the process ends, it takes no more than MORE KB
# beside what it has then, and no more descriptors than a save needs.
watch() {
    what=$1 pid=$2 more=$3
    until [ -s "$4" ] && [ "$(wc -c <"$4")" -ge "$5" ]; do sleep 0.2; done
    memory=$(resident "$pid") files=$(descriptors "$pid") most=$memory most_files=$files
    while now=$(resident "$pid") && [ -n "$now" ]; do
        now_files=$(descriptors "$pid" 2>/dev/null)
        [ "$now" -le "$most" ] || most=$now
        [ "$now_files" -le "$most_files" ] || most_files=$now_files
        sleep 0.2
    done 2>/dev/null
    echo "soak.sh: $what: $memory KB and $files descriptors early on, never more than $most KB and $most_files"
    [ $((most - memory)) -le "$more" ] || fail "$what: memory has grown from $memory to $most KB"
    [ $((most_files - files)) -le 3 ] || fail "$what: descriptors have grown from $files to $most_files" # a save under way
}

cat >tiny.conf <<'END'
n_layer = 1
n_head = 2
n_embd = 16
block_size = 8
data = ../text.txt
batch_size = 2
max_iters = 100000
lr_decay_iters = 100000
eval = sampled
eval_iters = 5
eval_interval = 200
save_interval = 100
log_interval = 50
sample_tokens = 5
END

# ---- 10^5 updates ----

"$train" tiny.conf --max_iters=50000 2>stderr &
watch "50,000 updates" $! 512 out/metrics.csv 5000
wait $! || fail "soak: $(tail -n 1 stderr)"
"$train" --resume out --max_iters=100000 2>stderr &
watch "50,000 more, resumed" $! 512 out/metrics.csv 90000
wait $! || fail "soak, resumed: $(tail -n 1 stderr)"
cd ../at-once && succeeds "$train" ../soak/tiny.conf
cd ../soak || exit 1
same out/last.npz ../at-once/out/last.npz
[ "$(wc -l <out/metrics.csv)" = 2002 ] || fail "soak: $(wc -l <out/metrics.csv) lines of metrics"
cut -d , -f 1-6 out/metrics.csv >resumed.csv
cut -d , -f 1-6 ../at-once/out/metrics.csv >at-once.csv
same resumed.csv at-once.csv

# ---- 10^6 tokens ----

"$infer" generate out -n 1000000 --temperature 0.9 >cached 2>stderr &
watch "1,000,000 tokens" $! 256 cached 50000
wait $! || fail "1,000,000 tokens: $(tail -n 1 stderr)"
[ "$(wc -c <cached)" = 1000001 ] || fail "1,000,000 tokens: $(wc -c <cached) bytes"
succeeds "$infer" generate out -n 1000000 --temperature 0.9 --no-cache
same cached ../stdout

# ---- 5 GB of tokens ----

truncate -s 5G large.bin
printf '\001\000\002\000\003\000\004\000' | dd of=large.bin bs=1 seek=4300000000 conv=notrunc status=none
head -c 4000 /dev/zero >val.bin
succeeds "$train" tiny.conf --data=large.bin --val_data=val.bin --out_dir=large --max_iters=200
grep -q '2684354560 tokens to train on' ../stderr || fail "5 GB: $(head -n 2 ../stderr)"
succeeds "$infer" info large
grep -qx 'vocab_size = 5' ../stdout || fail "5 GB: the vocabulary is another"

finish soak.sh
