#!/bin/sh
# What surrounds a run: names, descriptors, limits, signals, files that change. Each must end in a saved run or in one
# clear line.
set -u
. tests/cli/lib.sh
seq 5000 >"$work/text.txt"
cd "$work" || exit 1

tiny_recipe text.txt
cat >>tiny.conf <<'END'
max_iters = 20
eval_interval = 10
log_interval = 5
END

# ---- Names ----

succeeds "$train" tiny.conf
cp -r out 'exp #2'
for name in 'exp #2' 'exp 2 ' '#' "$(printf 'two\nlines')"; do
    [ -e "$name" ] || cp -r out "$name"
    shown=$(printf '%s' "$name" | tr '\n' '?')
    refused "sawtooth-train: --resume: out_dir must be one line without a blank at either end and without # or ; at its \
start or after a blank, not \"$shown\"" "$train" --resume "$name"
    succeeds "$infer" info "$name/last.npz"
done
mv 'exp #2' 'exp#2;3 é'
succeeds "$train" --resume 'exp#2;3 é' --max_iters=25
succeeds "$infer" info 'exp#2;3 é/last.npz'

# ---- Descriptors 0, 1 and 2 closed: what is said there must not end up in a file ----

for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
    rm -rf closed
    sh -c "exec \"\$@\" $closed" closed "$train" tiny.conf --out_dir=closed --max_iters=10 --log_interval=1 \
        >stdout 2>stderr || fail "$closed: exit status $?"
    [ ! -s closed/lock ] || fail "$closed: progress has gone to the lock"
    succeeds "$train" tiny.conf --out_dir=open --max_iters=10 --log_interval=1 --overwrite
    for file in last.npz best.npz; do succeeds "$infer" info "closed/$file"; done
    grep -v '^out_dir' closed/config.conf >closed.conf
    grep -v '^out_dir' open/config.conf | same - closed.conf
    for run in closed open; do cut -d , -f 1-6 $run/metrics.csv >$run.csv; done
    same open.csv closed.csv
    sh -c "exec \"\$@\" $closed" closed "$infer" logits closed --tokens 1,2 --out closed.npy >stdout 2>stderr ||
        fail "logits $closed: exit status $?"
    succeeds "$infer" logits open --tokens 1,2 --out open.npy
    same open.npy closed.npy
done
"$infer" generate out -n 3 >&- 2>stderr
[ $? = 1 ] && [ "$(cat stderr)" = "sawtooth-infer: cannot write standard output: Bad file descriptor" ] ||
    fail "generate without standard output: $(cat stderr)"

# ---- Little memory: OpenBLAS would wait for ever for what a limit denies ----

# within KILOBYTES COMMAND...: succeeds, or fails with the run's one line.
within() {
    bytes=$(($1 * 1024))
    shift
    timeout 60 prlimit --as=$bytes "$@" >stdout 2>stderr
    status=$?
    [ $status = 0 ] && return
    [ $status = 1 ] && tail -n 1 stderr | grep -Eq '^sawtooth-(train|infer): (out of memory|cannot|.*: Cannot)' ||
        fail "$* within $bytes bytes: exit status $status, $(tail -n 1 stderr)"
}

if prlimit --as=2000000000 "$infer" --version >stdout 2>stderr; then # sanitizers reserve far more
    for kilobytes in 20000 30000 50000 100000 250000 350000 400000 600000; do
        within $kilobytes "$infer" check out --threads 2
        within $kilobytes "$infer" generate out -n 3 --kernels openblas --threads 2
        within $kilobytes "$train" tiny.conf --out_dir=small --overwrite --kernels=openblas --threads=2
    done
    within 250000 "$infer" check out --threads 2
    grep -q '^does not apply .*through OpenBLAS instead.*: out of memory' stdout || fail "check: $(tail -n 1 stderr)"
fi

"$train" tiny.conf "--out_dir=it's two words" --max_iters=100000000 >stdout 2>stderr &
eventually grep -q '^[1-9][0-9]*/' stderr
kill -s TERM $!
wait $!
tail -n 1 stderr | grep -q "; to go on: $train --resume 'it'\\\\''s two words'$" || fail "the hint: $(tail -n 1 stderr)"
eval "$(tail -n 1 stderr | sed 's/.*to go on: //') --max_iters=0" 2>stderr
grep -q '^sawtooth-train: max_iters = 0 is less than' stderr || fail "the hint does not find the run: $(cat stderr)"

# ---- A last.npz that cannot be looked at is no reason to start anew ----

succeeds "$train" tiny.conf --out_dir=loop --max_iters=10
for file in last.npz best.npz metrics.csv; do
    mv loop/$file kept
    ln -s $file loop/$file
    status=1
    [ $file != metrics.csv ] || status=2
    ends $status "sawtooth-train: loop/$file: cannot look at: Too many levels of symbolic links" \
        "$train" --resume loop --max_iters=20
    [ -L loop/$file ] || fail "$file was replaced"
    mv kept loop/$file
done
succeeds "$train" --resume loop --max_iters=20

# ---- Other data than before ----

succeeds "$train" tiny.conf --out_dir=data
cp data/last.npz before.npz
sed 's/^9/0/' text.txt >similar.txt
cp text.txt kept.txt
cp similar.txt text.txt
refused "sawtooth-train: text.txt: not the tokens that data/last.npz has learned from; to go on with other data, name \
it: --data=text.txt" "$train" --resume data --max_iters=30
same data/last.npz before.npz
succeeds "$train" --resume data --max_iters=30 --data=similar.txt
grep -qx 'data: not the tokens that this run has learned from so far' stderr || fail "other data goes unnoticed"
succeeds "$train" --resume data --max_iters=40
! grep -q 'not the tokens' stderr || fail "the same data is called other data"
cp kept.txt text.txt

head -c 2000 /dev/zero | tr '\000' '\001' >tokens.bin
head -c 500 tokens.bin >held.bin
succeeds "$train" tiny.conf --data=tokens.bin --val_data=held.bin --out_dir=held
truncate -s 400 held.bin
refused "sawtooth-train: held.bin: not the tokens that held/last.npz was validated on; to go on with other data, name \
it: --val_data=held.bin" "$train" --resume held --max_iters=30
succeeds "$train" --resume held --max_iters=30 --val_data=held.bin
grep -qx 'data: not the tokens that this run has learned from so far; losses on others do not compare, best.npz begins anew' \
    stderr || fail "other validation data goes unnoticed"
succeeds "$infer" eval held --text held.bin
grep -qx 'tokens = 200' stdout || fail "eval cuts a validation file: $(grep tokens stdout)"
succeeds "$infer" eval held --text held.bin --split val
grep -qx 'tokens = 20' stdout || fail "eval --split val: $(grep tokens stdout)"

# ---- A token file that changes while it is read ----

for damage in "truncate -s 100 tokens.bin" "cp text.txt tokens.bin"; do
    cp tokens.bin whole.bin
    "$train" tiny.conf --data=tokens.bin --out_dir=changed --overwrite --max_iters=100000000 >stdout 2>stderr &
    eventually grep -q '^[1-9][0-9]*/' stderr
    $damage
    wait $!
    status=$?
    [ $status = 1 ] || fail "$damage: exit status $status"
    tail -n 1 stderr | grep -Eq '^sawtooth-train: tokens.bin: (token [0-9]+ .* is id|was cut before token ).*: stopped; '\
'changed/last.npz is the last good checkpoint$' || fail "$damage: $(tail -n 1 stderr)"
    succeeds "$infer" info changed/last.npz
    mv whole.bin tokens.bin
done

# ---- No thread for saving, no terminal, nobody who listens ----

stack=140737488355328 # bytes for each thread, which no address space holds
if prlimit --stack=$stack true 2>/dev/null; then
    prlimit --stack=$stack "$train" tiny.conf --out_dir=threadless --threads=1 >stdout 2>stderr ||
        fail "without a thread: $(tail -n 1 stderr)"
    succeeds "$train" tiny.conf --out_dir=threaded --threads=1
    for file in last.npz best.npz; do succeeds "$infer" info threadless/$file; done
    [ "$(cut -d , -f 1-6 threadless/metrics.csv)" = "$(cut -d , -f 1-6 threaded/metrics.csv)" ] ||
        fail "without a thread the run is another"
    ! grep warning stderr || fail "without a thread: warnings"
fi

("$train" tiny.conf --out_dir=unheard 2>&1; echo $? >unheard.status) | head -n 1 >first.line
[ "$(cat unheard.status)" = 0 ] || fail "nobody listens: exit status $(cat unheard.status)"
succeeds "$infer" info unheard

# is_not_saved PID DIRECTORY: the run, told to stop, finds that the directory is no longer its own.
is_not_saved() {
    kill -s TERM "$1"
    wait "$1"
    status=$?
    [ $status = 1 ] || fail "$2: exit status $status of a run whose directory is no longer its own"
    [ "$(tail -n 1 first.log)" = "sawtooth-train: $2: not saved: the directory or its lock was removed or replaced" ] ||
        fail "$2: $(tail -n 1 first.log)"
}

# ---- A lock that was removed is taken again, unless another run was there meanwhile ----

"$train" tiny.conf --out_dir=unlocked --max_iters=100000000 --save_interval=5 >stdout 2>first.log &
first=$!
eventually test -e unlocked/best.npz
rm unlocked/lock
eventually test -e unlocked/lock
refused "sawtooth-train: unlocked: another sawtooth-train is at work in this directory" "$train" --resume unlocked
kill -s TERM $first
wait $first
tail -n 1 first.log | grep -q '^stopped after' || fail "a lock that was removed: $(tail -n 1 first.log)"
succeeds "$infer" info unlocked/last.npz

"$train" tiny.conf --out_dir=lost --max_iters=100000000 --eval_interval=100000000 >stdout 2>first.log &
first=$!
eventually grep -q '^[1-9][0-9]*/' first.log
eventually test -e lost/best.npz
sleep 0.2                     # what is saved at the start is saved
kill -s STOP $first
rm lost/lock
succeeds "$train" tiny.conf --out_dir=lost --overwrite --seed=2
sum=$(cksum lost/*)
kill -s CONT $first
is_not_saved $first lost
[ "$(cksum lost/*)" = "$sum" ] || fail "a run whose directory is another's has written to it"

# So is that of a directory which no longer holds the run.
for files in "emptied/*" "emptied"; do
    "$train" tiny.conf --out_dir=emptied --overwrite --max_iters=100000000 --eval_interval=100000000 >stdout 2>first.log &
    first=$!
    eventually grep -q '^[1-9][0-9]*/' first.log
    eventually test -e emptied/best.npz
    sleep 0.2
    # shellcheck disable=SC2086 # several
    rm -r $files
    mkdir -p emptied
    is_not_saved $first emptied
    [ -z "$(ls emptied)" ] || fail "an emptied directory holds:" emptied/*
done

# ---- A directory that is removed, and another run in its place ----

"$train" tiny.conf --out_dir=gone --max_iters=100000000 --save_interval=5 >stdout 2>first.log &
first=$!
eventually test -e gone/best.npz
mv gone away && rm -rf away # it may be saving
eventually grep -qx 'warning: gone: not saved: the directory or its lock was removed or replaced; will be tried again' \
    first.log
succeeds "$train" tiny.conf --out_dir=gone --seed=2
sum=$(cksum gone/*)
is_not_saved $first gone
[ "$(cksum gone/*)" = "$sum" ] || fail "a run whose directory is gone has written to another's"

# ---- More than a machine has, and inputs without an end ----

# too_much STATUS PATTERN COMMAND...: this exit status, and a last line of the pattern, within a minute.
too_much() {
    expected=$1 pattern=$2
    shift 2
    timeout 60 "$@" >stdout 2>stderr
    status=$?
    [ $status = "$expected" ] && tail -n 1 stderr | grep -Eq "^sawtooth-(train|infer): $pattern" ||
        fail "$*: exit status $status, $(tail -n 1 stderr)"
}

too_much 1 'out of memory: ' "$infer" generate out --samples 2000 -n 1000000000
too_much 1 'out of memory: ' "$infer" generate out --samples 65536 -n 1099511627776
too_much 1 'out of memory: ' "$train" tiny.conf --out_dir=none --n_embd=16384 --n_layer=1000
too_much 1 'out of memory: ' "$train" tiny.conf --out_dir=none --batch_size=1048576 --grad_accum=1048576
too_much 2 '/dev/zero: more than 256 MiB, and no end' "$infer" generate out --prompt-file /dev/zero
too_much 2 '/dev/zero: more than 256 MiB, and no end' "$train" tiny.conf --out_dir=none --data=/dev/zero
too_much 2 '/dev/zero' "$train" /dev/zero
too_much 2 '/dev/zero' "$infer" info /dev/zero
mkfifo endless
yes '# and so on' >endless &
too_much 2 'endless: more than 10000 lines' "$train" endless
truncate -s 100T sparse.txt 2>/dev/null && too_much 1 'out of memory: ' "$infer" eval out --text sparse.txt
[ ! -e none ] || fail "a refused run has left none"

finish surroundings.sh
