#!/bin/sh
# sawtooth-train as a user meets it: what it refuses, and that stopping and going on changes no bit.
set -u
. tests/cli/lib.sh
configs=$(pwd)/configs
shakespeare=$(pwd)/data/tinyshakespeare/input.txt
seq 5000 >"$work/text.txt"
cd "$work" || exit 1

cat >tiny.conf <<'END'
n_layer = 2
n_head = 2
n_embd = 32
block_size = 16
dropout = 0.1
data = ../text.txt
batch_size = 3
grad_accum = 2
max_iters = 40
lr_decay_iters = 40
warmup_iters = 5
eval_interval = 10
log_interval = 5
END

sed 's/^max_iters = .*/max_iters = 1000/; s/^\(eval_interval\) = .*/\1 = 100/; s/^\(log_interval\) = .*/\1 = 1/' \
    tiny.conf >long.conf

# enter NAME: a directory with the two recipes alone, so that runs in different ones can have equal files.
enter() {
    mkdir "$work/$1" && cp "$work/tiny.conf" "$work/long.conf" "$work/$1" && cd "$work/$1" || exit 1
}

# metrics without the two columns that tell the time
figures() {
    cut -d , -f 1-6 "$1"
}

same_run() {
    same "$1/out/last.npz" "$2/out/last.npz"
    figures "$1/out/metrics.csv" >"$1/figures"
    figures "$2/out/metrics.csv" >"$2/figures"
    same "$1/figures" "$2/figures"
}

# ---- A whole run, and what it leaves ----

enter whole
succeeds "$train" tiny.conf
[ "$(echo out/*)" = "out/best.npz out/config.conf out/last.npz out/lock out/metrics.csv" ] || fail "left:" out/*
[ "$(head -n 1 out/metrics.csv)" = \
    iter,tokens,train_loss,val_loss,learning_rate,grad_norm,tokens_per_second,gflops ] || fail "metrics.csv: no header"
[ "$(cut -d , -f 1,2 out/metrics.csv | tail -n +2 | tr '\n' ' ')" = \
    "0,0 5,480 10,960 15,1440 20,1920 25,2400 30,2880 35,3360 40,3840 " ] || fail "metrics.csv: wrong rows"
[ "$(awk -F , 'NR > 1 && $3 == "" { print $1 }' out/metrics.csv | tr '\n' ' ')" = "40 " ] || fail "train_loss"
[ "$(awk -F , '$4 == "" { print $1 }' out/metrics.csv | tr '\n' ' ')" = "5 15 25 35 " ] || fail "val_loss"
succeeds "$infer" info out
succeeds "$infer" info out/last.npz

succeeds "$train" tiny.conf --print-config
cp "$work/stdout" printed.conf
succeeds "$train" printed.conf --print-config
same "$work/stdout" printed.conf
same out/config.conf printed.conf
succeeds "$train" --version
succeeds "$train" --help
mv "$work/stdout" help
succeeds "$train" help
same "$work/stdout" help

# ---- Stopping and going on ----

enter resumed
succeeds "$train" tiny.conf --max_iters=20
succeeds "$train" --resume out --max_iters=40
same_run "$work/whole" "$work/resumed"
same "$work/whole/out/best.npz" out/best.npz

for threads in 1 2 4; do
    enter "threads$threads"
    succeeds "$train" tiny.conf --threads=$threads
    succeeds "$train" --resume out --threads=auto # a finished run is saved again, with other settings
    grep -q 'after 40 iterations, all there are: to train on, raise max_iters' "$work/stderr" || fail "not told that the run was finished"
    same_run "$work/whole" "$work/threads$threads"
done

enter long
succeeds "$train" long.conf
[ "$(grep -c 'tokens/s' "$work/stderr")" -lt 500 ] || fail "a line for each of 1000 fast updates"
[ "$(wc -l <out/metrics.csv)" = 1002 ] || fail "metrics.csv has not a row for each update"
for signal in INT:130 TERM:143 HUP:129; do
    enter "$signal"
    "$train" long.conf >stdout 2>stderr &
    eventually grep -q "^9," out/metrics.csv
    kill -s "${signal%:*}" $!
    kill -s "${signal%:*}" $! # from a terminal and from timeout, say
    wait $!
    status=$?
    [ $status = "${signal#*:}" ] || fail "after SIG$signal exit status $status"
    tail -n 1 stderr | grep -Eq \
        "^stopped after [0-9]+ iterations, saved in out/last.npz; to go on: $train --resume out\$" ||
        fail "after SIG$signal: $(tail -n 1 stderr)"
    succeeds "$train" --resume out
    same_run "$work/long" "$work/$signal"
    same "$work/long/out/best.npz" out/best.npz
done

enter second-signal
"$train" tiny.conf --grad_accum=1000000 >stdout 2>stderr & # an iteration that nobody waits for
eventually grep -q "^0/40  validation" stderr
sleep 0.2
kill -s INT $!
eventually grep -qx "stopping: this update is finished and saved first" stderr
kill -s TERM $! # the same wish, and so is an interrupt that comes twice
kill -s INT $!
sleep 0.2
kill -s 0 $! || fail "the second SIGINT came at once, and ended the run"
kill -s INT $!
wait $!
status=$?
[ $status = 130 ] || fail "after three SIGINT exit status $status"
[ "$(tail -n 1 stderr)" = \
    "sawtooth-train: interrupted again: stopped at once; out is as the last save left it" ] ||
    fail "after three SIGINT: $(tail -n 1 stderr)"
succeeds "$infer" info out

enter never-saved
succeeds "$train" tiny.conf
rm out/last.npz out/best.npz out/metrics.csv
succeeds "$train" --resume out
same_run "$work/whole" "$work/never-saved"

enter overwritten
succeeds "$train" tiny.conf --seed=1
succeeds "$train" tiny.conf --overwrite
same_run "$work/whole" "$work/overwritten"

enter overwritten-and-refused
succeeds "$train" tiny.conf --max_iters=1
touch out/last.npz.tmp out/best.npz.tmp out/metrics.csv.tmp out/config.conf.tmp # as kill -9 leaves them
rm out/metrics.csv && mkdir out/metrics.csv # in the way of a new run: the old one stays
cp out/last.npz out/best.npz out/config.conf .
refused "sawtooth-train: out/metrics.csv: not a regular file, will not be replaced" \
    "$train" tiny.conf --seed=1 --overwrite
[ "$(echo out/*)" = "out/best.npz out/config.conf out/last.npz out/lock out/metrics.csv" ] ||
    fail "overwrite leaves:" out/*
for file in last.npz best.npz config.conf; do same $file out/$file; done

enter left-over
succeeds "$train" tiny.conf --max_iters=20
touch out/last.npz.tmp out/best.npz.tmp out/metrics.csv.tmp out/config.conf.tmp
succeeds "$train" --resume out --max_iters=40
[ "$(echo out/*)" = "out/best.npz out/config.conf out/last.npz out/lock out/metrics.csv" ] || fail "left:" out/*
same_run "$work/whole" "$work/left-over"

# What counts is the best.npz that is there: a run that was killed may have written it after its last.npz.
enter best-ahead
succeeds "$train" tiny.conf --max_iters=20
cp ../whole/out/best.npz out
succeeds "$train" --resume out
same ../whole/out/best.npz out/best.npz
succeeds "$train" --resume out --max_iters=40
same_run "$work/whole" "$work/best-ahead"

enter best-lost
succeeds "$train" tiny.conf
for damage in "rm" "truncate -s 1000"; do
    $damage out/best.npz
    succeeds "$train" --resume out
    same ../whole/out/best.npz out/best.npz
    same ../whole/out/last.npz out/last.npz
done

enter killed-early # in an evaluation that nobody waits for
"$train" tiny.conf --eval=sampled --eval_iters=100000000 >stdout 2>stderr &
eventually "$infer" info out/last.npz
kill -s KILL $!
wait $! 2>/dev/null
[ ! -e out/best.npz ] || fail "killed early: the evaluation had ended"
succeeds "$train" --resume out --eval=full --eval_iters=200
same_run "$work/whole" "$work/killed-early"

enter moved
succeeds "$train" tiny.conf --max_iters=20 --out_dir=elsewhere
mv elsewhere out
succeeds "$train" --resume out --max_iters=40
same_run "$work/whole" "$work/moved"

# ---- Starting from another model ----

enter init-from
printf 'data = ../text.txt\ninit_from = ../whole/out\nmax_iters = 0\n' >from.conf
succeeds "$train" from.conf --print-config
grep -q '^n_embd = 32$' "$work/stdout" || fail "init_from does not supply n_embd"
succeeds "$train" from.conf
best=$(awk -F , 'NR > 1 && $4 != "" && (least == "" || $4 < least) { least = $4 } END { print least }' \
    ../whole/out/metrics.csv)
[ "$(tail -n 1 out/metrics.csv | cut -d , -f 4)" = "$best" ] || fail "init_from starts at another loss than $best"
refused "sawtooth-train: n_embd = 64 contradicts ../whole/out/best.npz, which has n_embd = 32" \
    "$train" from.conf --n_embd=64 --out_dir=none
printf '123456789~' >tilde.txt
refused "sawtooth-train: tilde.txt: the character U+007E '~' at byte offset 9 is not among the vocabulary's 11 \
characters" "$train" from.conf --data=tilde.txt --out_dir=none
refused "sawtooth-train: nothing.npz: cannot open: No such file or directory" \
    "$train" from.conf --init_from=nothing.npz --out_dir=none

# ---- A run that fails ----

enter diverged
ends 1 "sawtooth-train: iteration 1: the loss is 2.3979, the gradient's norm nan: stopped; out/last.npz is the last \
good checkpoint" "$train" tiny.conf --learning_rate=1e30 --min_lr=1e30 --grad_clip=0 --warmup_iters=0 --save_interval=1
succeeds "$infer" info out/last.npz
grep -q '^iteration = 0$' "$work/stdout" || fail "diverged: last.npz is not the last good checkpoint"

if command -v script >/dev/null; then
    enter terminal # where the live line must not be the message's beginning
    # an iteration that takes long enough for its line to be drawn, and one that fails
    diverging="--learning_rate=1e30 --min_lr=1e30 --grad_clip=0 --warmup_iters=0"
    script -qec "$train tiny.conf $diverging --batch_size=500 --grad_accum=20" typescript >/dev/null 2>&1
    grep -q "$(printf '\r\033\\[Ksawtooth-train: iteration 1: the loss')" typescript ||
        fail "terminal: $(tail -n 2 typescript)"
fi

enter room-for-best-alone # last.npz is three times as long
"$train" tiny.conf --n_embd=64 --learning_rate=3e-2 >stdout 2>stderr
lowest=$(grep -c 'the lowest so far$' stderr)
[ "$lowest" -lt 5 ] || fail "room for best: every evaluation is the lowest: choose another learning rate"
rm -r out
prlimit --fsize=$(($(wc -c <../whole/out/best.npz) * 6)) "$train" tiny.conf --n_embd=64 --learning_rate=3e-2 \
    >stdout 2>stderr && fail "room for best: there was room for last.npz"
succeeds "$infer" info out/last.npz # of the start: moments of zeros take no room
grep -q '^iteration = 0$' "$work/stdout" || fail "room for best: there was room for last.npz"
[ "$(grep -c 'the lowest so far$' stderr)" = "$lowest" ] || fail "room for best: $(grep validation stderr)"
best=$(awk -F , 'NR > 1 && $4 != "" && (least == "" || $4 < least) { least = $4 } END { print least }' out/metrics.csv)
printf 'data = ../text.txt\ninit_from = out\nmax_iters = 0\nout_dir = from\n' >from.conf
succeeds "$train" from.conf
[ "$(tail -n 1 from/metrics.csv | cut -d , -f 4)" = "$best" ] || fail "room for best: best.npz is another than $best"

enter full-disk # a limit on the size of files looks like one
prlimit --fsize=20480 "$train" tiny.conf >stdout 2>stderr
status=$?
[ $status = 1 ] || fail "full disk: exit status $status"
[ "$(tail -n 1 stderr)" = "sawtooth-train: out/last.npz: cannot write: File too large" ] ||
    fail "full disk: $(tail -n 1 stderr)"
grep -q '^warning: out/last.npz: cannot write: File too large; will be tried again$' stderr &&
    [ "$(grep -c ^warning stderr)" -le 3 ] || fail "full disk: $(grep ^warning stderr)" # not one for each failure
[ "$(echo out/*)" = "out/config.conf out/lock out/metrics.csv" ] || fail "full disk, left:" out/*
succeeds "$train" --resume out
same_run "$work/whole" "$work/full-disk"

enter disk-with-room-again
prlimit --fsize=20480:unlimited "$train" long.conf >stdout 2>stderr &
eventually grep -q "^warning: out/last.npz: cannot write: File too large" stderr
prlimit --pid $! --fsize=unlimited
wait $! || fail "disk with room again: exit status $?"
same_run "$work/long" "$work/disk-with-room-again"
same "$work/long/out/best.npz" out/best.npz

enter best-in-the-way
succeeds "$train" tiny.conf --max_iters=0
rm out/best.npz
mkdir out/best.npz
ends 1 "sawtooth-train: out/best.npz: not a regular file, will not be replaced" \
    "$train" --resume out --max_iters=40
succeeds "$infer" info out/last.npz
rmdir out/best.npz
succeeds "$train" --resume out
same_run "$work/whole" "$work/best-in-the-way"
same "$work/whole/out/best.npz" out/best.npz

# ---- What is in the way costs nothing ----

enter in-the-way
cp -r ../whole/out .
ln -s /nowhere out/metrics.csv.tmp
refused "sawtooth-train: out/metrics.csv.tmp: not a regular file, and in the way of writing out/metrics.csv" \
    "$train" tiny.conf --overwrite
for file in last.npz best.npz metrics.csv config.conf; do same ../whole/out/$file out/$file; done

# ---- Without a last.npz ----

enter without-last
cp -r ../whole/out "it's out"
rm "it's out/last.npz"
cp -r "it's out" before
refused "sawtooth-train: it's out/last.npz: not there: nothing to go on from; --init_from='it'\\''s out' starts a new run \
(another out_dir) from the weights of best.npz" "$train" --resume "it's out"
for file in best.npz metrics.csv config.conf; do same before/$file "it's out/$file"; done
mv "it's out" out
rm out/best.npz # killed before it saved anything: there is nothing to lose
succeeds "$train" --resume out
same_run "$work/whole" "$work/without-last"

# ---- Without a recipe ----

enter options
succeeds "$train" --data=../text.txt --n_layer=2 --n_head=2 --n_embd=32 --block_size=16 --dropout=0.1 --batch_size=3 \
    --grad_accum=2 --max_iters=40 --lr_decay_iters=40 --warmup_iters=5 --eval_interval=10 --log_interval=5
same_run "$work/whole" "$work/options"
succeeds "$train" -h
cp "$work/stdout" help
succeeds "$train" --help
same "$work/stdout" help

# ---- A learning rate that follows max_iters ----

enter rate
succeeds "$train" tiny.conf --lr_decay_iters=0
succeeds "$train" --resume out --max_iters=50
grep -q '^learning rate: 0.000[0-9]* now, and 0.0001 by the settings so far' "$work/stderr" || fail "the rate leaps in silence"
succeeds "$train" --resume out --max_iters=60 --lr_decay_iters=50
! grep -q '^learning rate' "$work/stderr" || fail "the rate is said to leap"

# ---- Bad input ----

# refuse MESSAGE ARGUMENT...
refuse() {
    message="sawtooth-train: $1"
    shift
    refused "$message" "$train" "$@"
}

enter refusals
sed 's/^data = .*/data = data\/none.txt/' tiny.conf >recipe.conf
refuse "expected a config file, --data=FILE or --resume DIR; see sawtooth-train --help"
refuse "expected a config file, --data=FILE or --resume DIR; see sawtooth-train --help" ""
refuse "cannot read no.conf: No such file or directory" no.conf
refuse 'unexpected argument "two.conf"' tiny.conf two.conf
refuse "unknown option --n_layers; the nearest is --n_layer" tiny.conf --n_layers=3
refuse "--overwrite takes no value" tiny.conf --overwrite=1
refuse "--seed needs a value: --seed VALUE" tiny.conf --seed
echo 'n_layers = 3' | cat tiny.conf - >bad.conf
refuse 'bad.conf line 14: unknown key "n_layers"; the nearest is n_layer' bad.conf
refuse 'command line: n_layer must be an integer from 1 to 1000, not "0"' tiny.conf --n_layer=0
refuse 'command line: dropout must be a number of at least 0 and below 1, not "1"' tiny.conf --dropout=1
refuse 'command line: threads must be auto or an integer from 1 to 1024, not "0"' tiny.conf --threads=0
refuse "kernels = sse9: no kernel set of this name runs here; auto chooses one" tiny.conf --kernels=sse9
refuse "n_embd 32 is not a multiple of n_head 5" tiny.conf --n_head=5
refuse "data/none.txt: not there: make data brings tiny-shakespeare; --data=FILE names another text" recipe.conf
sed 's/none.txt/none.bin/' recipe.conf >tokens.conf
refuse "data/none.bin: not there: nanoGPT's prepare.py makes such token files; --data=FILE names another one" tokens.conf
refuse "data is not set: it must name a text or a token file (.bin)" tiny.conf --data=
refuse "no.txt: cannot open: No such file or directory" tiny.conf --data=no.txt
: >empty.txt
refuse "empty.txt: is empty; expected text" tiny.conf --data=empty.txt
printf 'far too short for sixteen' >short.txt
refuse "short.txt: 3 tokens to validate on; block_size 16 needs at least 17" tiny.conf --data=short.txt
refuse "../text.txt: 3 tokens to validate on; block_size 16 needs at least 17" tiny.conf --val_fraction=0.0001
printf 'this is not \377 UTF-8' >latin.txt
refuse "latin.txt: the byte 0xff at byte offset 12 is not UTF-8; expected UTF-8 text" tiny.conf --data=latin.txt
refuse "tiny.conf/out: cannot make the directory: Not a directory" tiny.conf --out_dir=tiny.conf/out
refuse "../whole/out already holds a run (last.npz): name another out_dir, go on with --resume ../whole/out, or start \
over with --overwrite" tiny.conf --out_dir=../whole/out
[ ! -e out ] || fail "a refused run has left out"

refuse "--resume needs a value: --resume DIR" --resume=
refuse "--resume tiny.conf: is a file, expected the directory of a run" --resume tiny.conf
refuse "cannot read nothing/config.conf: No such file or directory" --resume nothing
refuse "--resume takes its settings from ../whole/out/config.conf, not from tiny.conf" --resume ../whole/out tiny.conf
refuse "--resume goes on with a run and --overwrite discards one: not both" --resume ../whole/out --overwrite
refuse "--seed: cannot change when a run is resumed" --resume ../whole/out --seed=1
refuse "--beta1: cannot change when a run is resumed; --init_from=../whole/out starts another run, with another out_dir, from \
its weights" --resume ../whole/out --beta1=0.8
refuse "max_iters = 10 is less than the 40 iterations that ../whole/out/last.npz has made" \
    --resume ../whole/out --max_iters=10
cp -r ../whole/out edited
sed -i 's/^learning_rate = .*/learning_rate = 0.5/' edited/config.conf
refuse "learning_rate = 0.5 contradicts edited/last.npz, which has learning_rate = 0.001" --resume edited
cp ../whole/out/config.conf edited
(exec 9>edited/lock && flock 9 && exec sleep 60) &
locker=$!
eventually sh -c '! flock -n edited/lock true'
refuse "edited: another sawtooth-train is at work in this directory" --resume edited
kill $locker
wait $locker 2>/dev/null
printf '~' >>../text.txt
refuse "../text.txt: the character U+007E '~' at byte offset 23893 is not among the vocabulary's 11 characters" \
    --resume edited
same edited/last.npz ../whole/out/last.npz

# ---- Weights that are not finite ----

# with_nan FROM TO MEMBER: a copy of a checkpoint with a NaN in a member.
with_nan() {
    python3 - "$@" <<'END'
import sys, zipfile
source, target, member = sys.argv[1:]
with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
    for name in old.namelist():
        data = old.read(name)
        new.writestr(name, data[:-4] + b"\0\0\xc0\x7f" if name == member + ".npy" else data)
END
}

if command -v python3 >/dev/null; then
    enter not-finite
    with_nan ../whole/out/best.npz nan.npz transformer.ln_f.weight
    refuse "nan.npz: transformer.ln_f.weight holds a number that is not finite" tiny.conf --init_from=nan.npz
    [ ! -e out ] || fail "a refused run has left out"
    cp -r ../threads1/out .
    for member in transformer.wpe.weight adamw.m/transformer.wpe.weight adamw.v/transformer.wte.weight; do
        with_nan ../threads1/out/last.npz out/last.npz $member
        refuse "out/last.npz: $member holds a number that is not finite" --resume out
    done
fi

# ---- The recipes ----

# starts_near_uniform CONFIG: before the first update every character is about as likely as any other.
starts_near_uniform() {
    succeeds "$train" "$configs/$1" --data="$shakespeare" --out_dir=out --overwrite --max_iters=0 --eval=full \
        --val_fraction=0.004
    tail -n 1 out/metrics.csv | awk -F , '{ d = $4 - log(65); exit !($4 != "" && d > -0.1 && d < 0.1) }' ||
        fail "$1 starts at a validation loss of $(tail -n 1 out/metrics.csv | cut -d , -f 4)"
}

enter recipes
if [ -e "$shakespeare" ]; then
    starts_near_uniform shakespeare.conf
    starts_near_uniform gpt-py.conf
else
    echo "train.sh: no tiny-shakespeare: where the recipes start is not tested"
fi

finish train.sh
