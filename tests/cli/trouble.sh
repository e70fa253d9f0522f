#!/bin/sh
# What a user's machine does to a run: the disk is full, read-only or gone, memory is short, the terminal is closed,
# nobody reads the output any more. Nothing that was saved is lost, and training goes on where it can.
set -u
. tests/cli/lib.sh
seq 5000 >"$work/text.txt"
cd "$work" || exit 1

tiny_recipe ../text.txt
cat >>tiny.conf <<'END'
max_iters = 3000
warmup_iters = 5
eval_interval = 1000
save_interval = 100
log_interval = 10
END
succeeds "$train" tiny.conf --data=text.txt --max_iters=100 # and what there is to lose
cp -r out saved
cp out/last.npz first.npz

enter() {
    mkdir -p "$work/$1" && cd "$work/$1" || exit 1
}

# begin ARGUMENT...: a run in the background that has saved.
begin() {
    "$train" ../tiny.conf "$@" >stdout 2>stderr &
    run=$!
    eventually test -s out/last.npz
}

# ends_with STATUS: of that run.
ends_with() {
    wait $run
    status=$?
    [ $status = "$1" ] || fail "$(pwd): exit status $status, expected $1: $(tail -n 1 stderr)"
}

same_as_undisturbed() {
    succeeds "$train" --resume out
    for file in last.npz best.npz; do same out/$file ../undisturbed/out/$file; done
}

enter undisturbed
succeeds "$train" ../tiny.conf

# ---- A directory that vanishes, and comes again ----

enter vanished
begin --max_iters=1000000
mv out gone
not_saved="out: not saved: the directory or its lock was removed or replaced"
eventually grep -q "^warning: $not_saved; will be tried again$" stderr
kill -s INT $run
ends_with 1
[ "$(tail -n 1 stderr)" = "sawtooth-train: $not_saved" ] || fail "vanished: $(tail -n 1 stderr)"
succeeds "$infer" info gone/last.npz

enter comes-again
begin
mv out gone
eventually grep -q "^warning: $not_saved; will be tried again$" stderr
mv gone out
ends_with 0
same_as_undisturbed

# ---- A disk that is full, or may not be written ----

mkdir "$work/disk"
if mount -t tmpfs -o size=2m none "$work/disk" 2>/dev/null; then
    trap 'umount -l "$work/disk"; rm -rf "$work"' EXIT
    enter disk
    begin
    cat /dev/zero >filler 2>/dev/null
    eventually grep -q '^warning: out/last.npz: cannot write: No space left on device; will be tried again$' stderr
    succeeds "$infer" info out/last.npz
    rm filler
    ends_with 0
    same_as_undisturbed
    cp out/last.npz ../before.npz
    "$train" --resume out --max_iters=1000000 --save_interval=1000000 >stdout 2>stderr &
    run=$!
    eventually grep -q '^3010,' out/metrics.csv
    cat /dev/zero >filler 2>/dev/null
    kill -s INT $run
    ends_with 1
    tail -n 1 stderr | grep -q '^sawtooth-train: out/last.npz: cannot write: No space left on device' ||
        fail "full disk at the end: $(tail -n 1 stderr)"
    same out/last.npz ../before.npz
    [ ! -e out/last.npz.tmp ] || fail "full disk: a temporary file is left"
    rm filler

    mount -o remount,ro "$work/disk"
    refused "sawtooth-train: out/lock: cannot open: Read-only file system" "$train" --resume out
    refused "sawtooth-train: new: cannot make the directory: Read-only file system" \
        "$train" ../tiny.conf --out_dir=new
    ends 1 "sawtooth-infer: f16.npz: cannot open: Read-only file system" \
        "$infer" convert out --weights f16 --out f16.npz
    same out/last.npz ../before.npz
else
    echo "trouble.sh: may not mount: a full disk is tested as a limit on the size of files, in train.sh"
fi

if [ "$(id -u)" != 0 ]; then
    enter forbidden
    mkdir out && chmod 555 out
    refused "sawtooth-train: out/lock: cannot open: Permission denied" "$train" ../tiny.conf
fi

# ---- Short of memory ----

# within KILOBYTES COMMAND...: of address space.
within() {
    # shellcheck disable=SC3045 # not in POSIX, but in dash and bash
    (ulimit -v "$1" && shift && exec "$@")
}

if within 400000 "$train" --version >/dev/null 2>&1; then # the sanitizers need more
    enter memory
    cp -r ../saved out
    within 400000 "$train" ../tiny.conf --n_embd=2048 --n_layer=8 --out_dir=large >stdout 2>stderr
    status=$?
    [ $status = 1 ] && grep -Eqx 'sawtooth-train: out of memory: [0-9]+ bytes for .+' stderr ||
        fail "memory: exit status $status: $(cat stderr)"
    [ ! -e large/last.npz ] || fail "memory: the run had begun"
    for kilobytes in $(seq 60000 10000 200000); do
        within "$kilobytes" "$train" --resume out --max_iters=101 >stdout 2>stderr && break
        [ "$(wc -l <stderr)" = 1 ] || grep -q '^model' stderr || fail "memory: $(cat stderr)"
        same out/best.npz ../saved/best.npz
        same out/last.npz ../first.npz
    done
    succeeds "$infer" info out/last.npz
fi

# ---- Nobody watches any more ----

enter closed-pipe
("$train" ../tiny.conf 2>&1; echo $? >status) | head -n 1 >line
[ "$(cat status)" = 0 ] || fail "closed pipe: exit status $(cat status)"
same_as_undisturbed

if command -v script >/dev/null; then
    enter closed-terminal
    # script ends, and with it the terminal whose session this is
    script -qec "$train ../tiny.conf --max_iters=100000000; echo \$? >status" /dev/null >/dev/null 2>&1 &
    terminal=$!
    eventually grep -q '^20,' out/metrics.csv
    kill -s KILL $terminal
    wait $terminal 2>/dev/null
    eventually flock -n out/lock true
    succeeds "$infer" info out/last.npz
    eventually sh -c "! ls out/*.tmp"
    iteration=$(sed -n 's/^iteration = //p' "$work/stdout")
    [ "$iteration" -gt 20 ] || fail "closed terminal: last.npz is of iteration $iteration"
    succeeds "$train" --resume out --max_iters="$((iteration + 1))"
fi

finish trouble.sh
