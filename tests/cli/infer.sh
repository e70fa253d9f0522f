#!/bin/sh
# sawtooth-infer as a user meets it: what it prints, what it refuses, how it ends.
set -u
. tests/cli/lib.sh
tests=$(pwd)/tests
golden=$tests/golden
model=$golden/nanogpt.init.npz # context 16, 65 characters
head -c 20000 data/play/input.txt >"$work/text.txt"
cd "$work" || exit 1

# prints TEXT COMMAND...: exactly this on standard output, nothing on standard error.
prints() {
    text=$1
    shift
    succeeds "$@"
    printf '%b' "$text" | cmp -s - "$work/stdout" || fail "$*: printed $(cat "$work/stdout")"
    [ ! -s "$work/stderr" ] || fail "$*: has written to standard error"
}

# prints_json COMMAND...: where there is Python to tell.
prints_json() {
    succeeds "$@"
    ! command -v python3 >/dev/null || python3 -m json.tool stdout >/dev/null || fail "$*: no JSON"
}

# ---- A model of the test's own: characters, and the same as token ids ----

cat >tiny.conf <<'CONF'
data = text.txt
n_layer = 2
n_head = 2
n_embd = 32
block_size = 16
max_iters = 30
eval_interval = 30
CONF
succeeds "$train" tiny.conf
printf '\001\000\002\000\003\000\004\000\005\000' >five.bin
for _ in 1 2 3 4 5 6 7; do cat five.bin five.bin >ten.bin && mv ten.bin five.bin; done
succeeds "$train" tiny.conf --data=five.bin --out_dir=ids --max_iters=2

# ---- generate ----

prints 'ROMEO:\n' "$infer" generate "$model" --prompt ROMEO: -n 0
prints '\n' "$infer" generate "$model" -n 0
prints 'a\nb\n---\na\nb\n' "$infer" generate "$model" -p "$(printf 'a\nb')" -n 0 --samples 2
prints '3,1\n' "$infer" generate ids --tokens 3,1 -n 0
prints '\n' "$infer" generate ids -n 0
prints '--version\n' "$infer" generate "$model" --prompt=--version -n 0

succeeds "$infer" generate out --prompt ROMEO: -n 60 --seed 5
cp stdout alone5
[ "$(head -c 6 alone5)" = ROMEO: ] || fail "generate: the prompt is not there"
[ "$(wc -m <alone5)" = 67 ] || fail "generate: not 6 + 60 + 1 characters"
succeeds "$infer" generate out --prompt ROMEO: -n 60 --seed 4
cp stdout alone4
succeeds "$infer" generate out --prompt ROMEO: -n 60 --seed 4 --samples 2 --stats
(cat alone4 && echo --- && cat alone5) >both
same both stdout
[ "$(cut -d : -f 1 stderr | tr '\n' ' ')" = "prefill decode cache " ] || fail "--stats prints $(cat stderr)"
! cmp -s alone4 alone5 || fail "two seeds give one text"

printf ROMEO: | succeeds "$infer" generate out --prompt-file - -n 60 --seed 5
same alone5 stdout
printf ROMEO: >prompt.txt
printf abcROMEO: >longer.txt
(dd bs=3 count=1 >/dev/null 2>&1 && succeeds "$infer" generate out --prompt-file - -n 60 --seed 5) <longer.txt
same alone5 stdout
succeeds "$infer" generate out/best.npz --prompt-file prompt.txt -n 60 --seed 5 --threads 1 --top-k 1000000
same alone5 stdout
succeeds "$infer" generate out --prompt-file text.txt -n 20 # far longer than the context
tail -c 21 stdout >after
succeeds "$infer" generate out --prompt-file text.txt -n 20 --no-cache
tail -c 21 stdout >after.uncached
same after after.uncached

for keep in 1 5 8 16; do # three times the context
    succeeds "$infer" generate out -n 48 --keep $keep --temperature 0.9 --top-k 20 --top-p 0.95
    cp stdout cached
    succeeds "$infer" generate out -n 48 --keep $keep --temperature 0.9 --top-k 20 --top-p 0.95 --no-cache
    same cached stdout
done

succeeds "$infer" generate ids --tokens 1,2 -n 30 --temperature 0
grep -Eqx '1,2(,[0-5]){30}' stdout || fail "ids are printed as $(cat stdout)"
succeeds "$infer" generate ids -n 3
grep -Eqx '[0-5],[0-5],[0-5]' stdout || fail "ids without a prompt are printed as $(cat stdout)"
for extreme in "--temperature 1e-6" "--temperature 1e6" "--top-p 0" "--temperature 1e-300 --top-k 1"; do
    succeeds "$infer" generate out -n 20 $extreme
done

# ---- How generation ends ----

"$infer" generate out -n 1000000000 >long 2>stderr &
eventually test -s long
kill -s INT $!
wait $!
status=$?
[ $status = 130 ] || fail "after SIGINT exit status $status"
[ ! -s stderr ] || fail "after SIGINT: $(cat stderr)"
[ "$(tail -c 1 long | od -An -c | tr -d ' ')" = '\n' ] || fail "after SIGINT the text has no end"
("$infer" generate out -n 1000000000 2>stderr; echo $? >status) | head -c 10 >ten
[ "$(cat status)" = 141 ] && [ ! -s stderr ] || fail "closed pipe: exit status $(cat status), $(cat stderr)"
(trap '' PIPE; "$infer" generate out -n 1000000000 2>stderr; echo $? >status) | head -c 10 >ten
[ "$(cat status)" = 141 ] && [ ! -s stderr ] || fail "closed pipe, ignored: exit status $(cat status), $(cat stderr)"
for command in "generate out" "info out" "eval out --text text.txt"; do
    "$infer" $command >/dev/full 2>stderr
    status=$?
    [ $status = 1 ] && [ "$(cat stderr)" = \
        "sawtooth-infer: cannot write standard output: No space left on device" ] || fail "$command on a full disk"
done

# ---- check, window, eval, logits, bench, info ----

for file in "$golden"/*.init.npz out ids; do
    succeeds "$infer" check "$file"
    grep -Eq '^[0-9]+ lines, 0 failed$' stdout || fail "check $file: $(tail -n 1 stdout)"
    [ "$(grep -c ^caught stdout)" = 5 ] || fail "check $file: not every fault is caught"
done
for seed in 1 2 3 4; do # weights that make much of every rounding, and nothing of many a row
    succeeds "$train" tiny.conf --out_dir=large --overwrite --max_iters=0 --init_std=4 --n_layer=1 --seed=$seed
    succeeds "$infer" check large
done
succeeds "$train" tiny.conf --out_dir=wide --block_size=300 --n_layer=1 --max_iters=0
succeeds "$infer" check wide # where sizes and positions are sampled
grep -q '^20 lines, 0 failed$' stdout || fail "check of a wide context: $(tail -n 1 stdout)"
for types in "--weights f16" "--weights int8" "--cache f16" "--weights f16 --cache f16" "--weights int8 --cache f16"; do
    succeeds "$infer" check out $types
    [ "$(grep -c ^caught stdout)" = 5 ] || fail "check $types: not every fault is caught"
    succeeds "$infer" generate out -n 48 --samples 3 $types
    cp stdout cached
    succeeds "$infer" generate out -n 48 --samples 3 $types --no-cache
    same cached stdout
    succeeds "$infer" bench out $types --rounds 1
done
succeeds "$train" tiny.conf --out_dir=beyond --max_iters=0 --init_std=30000
for command in "eval beyond --text text.txt" "generate beyond -n 2"; do
    succeeds "$infer" $command
    "$infer" $command --cache f16 >stdout 2>stderr
    [ $? = 1 ] && grep -q 'not a finite number; an f16 cache holds keys and values below 65520$' stderr ||
        fail "$command: keys beyond halves: $(cat stderr)"
done
succeeds "$infer" check out --cache f16
grep -q '^information .* f32 weights, f16 cache against the float32 reference: ' stdout || fail "check --cache f16"
succeeds "$infer" generate out -n 4 --stats --cache f16
halves=$(sed -n 's/^cache: \([0-9]*\) bytes.*/\1/p' stderr)
succeeds "$infer" generate out -n 4 --stats
[ "$(sed -n 's/^cache: \([0-9]*\) bytes.*/\1/p' stderr)" = $((2 * halves)) ] || fail "a cache of halves has no half size"

# ---- check: weights that ignore something, where a fault cannot show ----

yes ab | tr -d '\n' | head -c 4000 >ab.txt
succeeds "$train" tiny.conf --data=ab.txt --out_dir=ab --n_layer=1 --n_embd=16 --block_size=8 --batch_size=4 --decay=none \
    --max_iters=3000 --eval_interval=3000 --weight_decay=1 --learning_rate=0.01 --warmup_iters=0
succeeds "$infer" check ab/last.npz
[ "$(grep -c '^does not apply .*fault: .*: these weights ignore earlier tokens$' stdout)" = 3 ] || fail "check: a bigram"
[ "$(grep -c '^caught' stdout)" = 2 ] || fail "check: a bigram's positions"
if python3 -c 'import numpy' 2>/dev/null; then
    python3 "$tests/cli/set_row.py" out/best.npz placeless.npz transformer.wpe.weight all 0
    python3 "$tests/cli/set_row.py" placeless.npz absorbed.npz transformer.wpe.weight 3 1e-12
    for placeless in placeless.npz absorbed.npz; do
        succeeds "$infer" check $placeless
        [ "$(grep -c '^does not apply .*fault: .*: these weights ignore positions$' stdout)" = 2 ] || fail "check: no positions"
        [ "$(grep -c '^caught' stdout)" = 3 ] || fail "check: no positions, but a context"
    done
fi

# ---- Numbers that are none ----

succeeds "$train" tiny.conf --out_dir=wild --max_iters=0 --init_std=6000
for command in "logits wild/last.npz --prompt abcde --out wild.npy" "eval wild/last.npz --text text.txt" \
    "generate wild/last.npz --prompt abcde"; do
    # shellcheck disable=SC2086 # words
    "$infer" $command --cache f16 >stdout 2>stderr && fail "$command: no number, and exit status 0"
    tail -n 1 stderr | grep -q '; an f16 cache holds keys and values below 65520$' || fail "$command: $(tail -n 1 stderr)"
done
[ ! -e wild.npy ] || fail "logits has written what is no number"
"$infer" check wild/last.npz --cache f16 --json >stdout 2>stderr && fail "check: no number, and exit status 0"
! command -v python3 >/dev/null || python3 -m json.tool stdout >/dev/null || fail "check: no JSON where a line fails"
grep -q '"passed":false' stdout || fail "check: has passed"

# ---- A file that may not grow ----

(
    ulimit -f 2
    "$infer" convert out --weights f16 --out big.npz >stdout 2>stderr
    [ $? = 1 ] || fail "a file that may not grow: exit status"
)
[ "$(cat stderr)" = "sawtooth-infer: big.npz: cannot write: File too large" ] || fail "a file that may not grow: $(cat stderr)"
[ ! -e big.npz ] && [ ! -e big.npz.tmp ] || fail "a file that may not grow is left"

# ---- convert: a stored narrow model is what --weights makes when loaded ----

for type in f16 int8; do
    succeeds "$infer" convert out --weights $type --out $type.npz
    [ ! -s stdout ] && [ ! -s stderr ] || fail "convert has written something"
    for command in "info" "eval --text text.txt" "generate -n 48" "logits --tokens 1,2,3 --out $type.npy"; do
        succeeds "$infer" $command $type.npz
        grep -v '^file = ' stdout >stored
        [ ! -f $type.npy ] || mv $type.npy stored.npy
        succeeds "$infer" $command out --weights $type
        grep -v '^file = ' stdout >converted
        same stored converted
        [ ! -f $type.npy ] || same stored.npy $type.npy
    done
    succeeds "$infer" info out --weights $type
    grep -v '^file = ' stdout >converted
    succeeds "$infer" info $type.npz --weights $type
    grep -v '^file = ' stdout >stored
    same stored converted
    grep -qx "weights = $type" stdout || fail "info $type.npz does not say its type"
    succeeds "$infer" check $type.npz
    grep -q "^does not apply .* $type weights, f32 cache against the float32 reference: " stdout ||
        fail "check $type.npz: $(cat stdout)"
    succeeds "$infer" check out --weights $type
    grep -q "^information .* $type weights, f32 cache against the float32 reference: " stdout ||
        fail "check --weights $type: $(cat stdout)"
    refused "sawtooth-train: $type.npz: holds $type weights; training needs float32" \
        "$train" tiny.conf --init_from=$type.npz --out_dir=from
    cp -r out resumed.$type
    cp $type.npz resumed.$type/last.npz
    refused "sawtooth-train: resumed.$type/last.npz: holds $type weights; training needs float32" \
        "$train" --resume resumed.$type
done
[ "$(wc -c <f16.npz)" -lt "$(wc -c <out/best.npz)" ] && [ "$(wc -c <int8.npz)" -lt "$(wc -c <f16.npz)" ] ||
    fail "convert: the files are no smaller"

prints_json "$infer" check out --text text.txt --full --json
grep -q '"passed":true}$' stdout || fail "check --json"
succeeds "$train" tiny.conf --out_dir=one --n_layer=1 --block_size=1 --max_iters=1
succeeds "$infer" check one
[ "$(grep -c '^does not apply' stdout)" = 6 ] || fail "check of one layer and one position"

best=$(tail -n 1 out/metrics.csv | cut -d , -f 4)
succeeds "$infer" eval out --text text.txt
[ "$(sed -n 's/^loss = //p' stdout)" = "$best" ] || fail "eval finds another loss than the trainer's $best"
for split in "val:2000" "train:18000" "all:20000"; do
    succeeds "$infer" eval out --text text.txt --split "${split%:*}"
    grep -qx "tokens = ${split#*:}" stdout || fail "eval --split ${split%:*}"
done
succeeds "$infer" eval ids --text five.bin
grep -q '^bits_per_token = ' stdout || fail "eval of token ids"

succeeds "$infer" window out --text text.txt -n 100
[ "$(grep -Ec '^(16 \(crop-and-recompute\)|2|4|6|8|10|12|14) ' stdout)" = 8 ] || fail "window: $(cat stdout)"
prints_json "$infer" window out --text text.txt -n 50 --split train --json
succeeds "$infer" window one --text text.txt -n10
succeeds "$infer" window out --text text.txt -n 1
! grep -Eq ' (0|inf|nan)$' stdout || fail "window of one token: $(cat stdout)"
succeeds "$infer" logits out --prompt ROMEO: --out logits.npy
[ "$(head -c 6 logits.npy | tail -c 5)" = NUMPY ] || fail "logits: no .npy"
succeeds "$infer" bench out --rounds 2
grep -q ' the same text$' stdout || fail "bench: $(cat stdout)"
prints_json "$infer" bench out --rounds 1 --json
[ "$(grep -Eo '"(sequences|tokens)":[0-9]+' stdout | tr '\n' ' ')" = '"tokens":4 "tokens":8 "tokens":16 "sequences":1 "sequences":4 "sequences":16 "sequences":64 ' ] ||
    fail "bench: other lengths or batches: $(cat stdout)"
for member in fma_peak_flops read_bandwidth prefill_share_of_peak decode_share_of_bandwidth uncached_tokens_per_second \
    cache_bytes share_of_peak share cached_seconds uncached_seconds ratio start_seconds; do
    grep -Eq "\"$member\":[0-9]" stdout || fail "bench --json has no number $member"
done
grep -q '"new_tokens":12,.*"same":true' stdout || fail "bench --json: another text"
prints_json "$infer" bench one --rounds 1 --json
grep -q '"share":null' stdout || fail "bench: a sawtooth in a context of one token"
succeeds "$infer" info out
grep -Eq '^fingerprint [0-9a-f]{8}$' stdout || fail "info: no fingerprint"

succeeds "$infer" --help
for command in generate check window eval logits bench convert info; do
    succeeds "$infer" $command --help
    head -n 1 stdout | grep -q "^sawtooth-infer $command " || fail "$command --help"
done
succeeds "$infer" help
cp stdout help
succeeds "$infer" --help
same help stdout
succeeds "$infer" help check
cp stdout help
succeeds "$infer" check --help
same help stdout
succeeds "$infer" info --help
! grep -q -e --threads -e --kernels stdout || fail "info --help lists options that it refuses"
succeeds "$infer" --version

"$infer" generate out -n 5 --stats >both 2>&1
grep -q '^prefill' both || fail "--stats: $(cat both)"
mkdir early && cp out/last.npz early

# ---- Bad input ----

# refuse MESSAGE ARGUMENT...
refuse() {
    message="sawtooth-infer: $1"
    shift
    refused "$message" "$infer" "$@"
}

refuse "early/best.npz: not there: the run was not evaluated yet; early/last.npz is what it has" generate early
refuse "info runs no model: --threads is of no use to it" info out --threads 1
cp out/best.npz own.npz
refuse "--out ./own.npz: is the model itself, whose float32 weights would be lost" \
    convert own.npz --weights f16 --out ./own.npz
same own.npz out/best.npz
strange=$(printf 'p\377.npz')
cp own.npz "$strange"
succeeds "$infer" check "$strange" --json
LC_ALL=C grep -q '"p\\ufffd.npz"' stdout || fail "JSON: a name that is not UTF-8"
refuse "convert runs no model: --kernels is of no use to it" convert out --weights f16 --out n.npz --kernels plain
refuse "--kernels openblas: promises no bits that could be checked; every check ends with a line about it" \
    check out --kernels openblas
refuse 'unknown command "generat"; the nearest is generate' help generat
refuse "no command: sawtooth-infer --help lists them"
refuse 'unknown command "generat"; the nearest is generate' generat
refuse 'unknown command "--threads"; the nearest is generate' --threads 2
for command in generate check info; do
    refuse "no model: expected a checkpoint (.npz) or a run directory" $command
done
refuse 'unexpected argument "two"' generate "$model" two
refuse "unknown option --temprature; the nearest is --temperature" generate "$model" --temprature 1
refuse "--seed is given twice" generate "$model" --seed 1 --seed=2
refuse "-n needs a value: -n N" generate "$model" -n
refuse "--no-cache takes no value" generate "$model" --no-cache=1
refuse "nothing.npz: cannot open: No such file or directory" generate nothing.npz
mkdir empty
refuse "empty/best.npz: cannot open: No such file or directory" info empty
refuse "text.txt: not a zip archive, or cut short; expected a checkpoint (.npz)" info text.txt
for n in -1 "" x 5x 1e3 1099511627777; do
    refuse "--new-tokens must be an integer from 0 to 1099511627776, not \"$n\"" generate "$model" -n "$n"
done
for x in -1 nan inf "" 0x1 1,5; do
    refuse "--temperature must be a number of at least 0, not \"$x\"" generate "$model" --temperature "$x"
done
refuse '--top-k must be an integer from 0 to 1073741824, not "-1"' generate "$model" --top-k -1
for p in 1.5 -0.1 p; do
    refuse "--top-p must be a number of at least 0 and at most 1, not \"$p\"" generate "$model" --top-p $p
done
for seed in -1 18446744073709551616 x; do
    refuse "--seed must be an integer from 0 to 18446744073709551615, not \"$seed\"" generate "$model" --seed $seed
done
for samples in 0 65537; do
    refuse "--samples must be an integer from 1 to 65536, not \"$samples\"" generate "$model" --samples $samples
done
for keep in 0 17; do
    refuse "--keep must be an integer from 1 to 16, not \"$keep\"" generate "$model" --keep $keep
done
for threads in 0 10000 -1; do
    refuse "--threads must be auto or an integer from 1 to 1024, not \"$threads\"" bench "$model" --threads $threads
done
refuse '--weights must be f32, f16 or int8, not "f64"' info "$model" --weights f64
refuse "--weights f32: f16.npz holds f16 weights" info f16.npz --weights f32
refuse "--weights f16: int8.npz holds int8 weights" eval int8.npz --text text.txt --weights f16
refuse "no --out: expected the .npz to write" convert "$model" --weights f16
refuse "no --weights: expected f16 or int8" convert "$model" --out n.npz
refuse '--weights must be f16 or int8, not "f32": there is nothing to convert' \
    convert "$model" --weights f32 --out n.npz
refuse "f16.npz: holds f16 weights; converting needs float32" convert f16.npz --weights f16 --out n.npz
refuse "--weights int8: f16.npz holds f16 weights" convert f16.npz --weights int8 --out n.npz
refuse "no model: expected a checkpoint (.npz) or a run directory" convert --weights f16 --out n.npz
refuse "no/n.npz: cannot open: No such file or directory" \
    convert "$model" --weights f16 --out no/n.npz
[ ! -e n.npz ] || fail "a refused convert has written n.npz"
refuse "--prompt: the character U+007E '~' at byte offset 1 is not among the vocabulary's 65 characters" \
    generate "$model" --prompt 'a~'
refuse "--prompt: the byte 0xff at byte offset 2 is not UTF-8; expected UTF-8 text" \
    generate "$model" --prompt "$(printf 'ab\377')"
refuse "--prompt and --tokens exclude each other" generate "$model" --prompt a --tokens 1
refuse "--prompt-file and --tokens exclude each other" logits "$model" --prompt-file f --tokens 1 --out l.npy
refuse "nothing.txt: cannot open: No such file or directory" generate "$model" --prompt-file nothing.txt
refuse '--tokens: "65" at byte offset 2 is not a token id; expected whole numbers from 0 to 64 with commas between them' \
    generate "$model" --tokens 1,65
refuse '--tokens: "" at byte offset 2 is not a token id; expected whole numbers from 0 to 64 with commas between them' \
    generate "$model" --tokens 1,,2
refuse "--prompt: text where the vocabulary has ids only; expected token ids" generate ids --prompt a
refuse "nothing.txt: cannot open: No such file or directory" check "$model" --text nothing.txt
refuse "no --text: expected the text to evaluate" eval "$model"
refuse "no --text: expected held-out text" window "$model"
: >empty.txt
refuse "empty.txt: is empty; expected text" eval "$model" --text empty.txt
printf a >a.txt
refuse 'a.txt: 1 token in its part "val"; expected at least 2' eval "$model" --text a.txt
refuse 'a.txt: 1 token in its part "all"; expected at least 17' window "$model" --text a.txt --split all
refuse '--split must be val, train or all, not "test"' eval "$model" --text text.txt --split test
refuse '--count must be an integer from 1 to 1984, not "0"' window out --text text.txt -n 0
refuse "no --out: expected the .npy to write" logits "$model" --prompt a
refuse "the prompt has 17 tokens; the model's context holds 16" logits "$model" --prompt aaaaaaaaaaaaaaaaa --out l.npy
refuse "no/l.npy: cannot open: No such file or directory" \
    logits "$model" --prompt a --out no/l.npy
refuse '--shape must be gpt2-124m, gpt2-355m, gpt2-774m, gpt2-1558m or nanogpt-10m, not "gpt3"' bench --shape gpt3
refuse '--rounds must be an integer from 1 to 99, not "0"' bench "$model" --rounds 0
refuse "a model and --shape exclude each other" bench "$model" --shape gpt2-124m
refuse "no model: expected a checkpoint (.npz), a run directory or --shape NAME" bench
refuse "no model: expected a checkpoint (.npz) or a run directory" info ""
refuse "--out needs a value: --out FILE" convert "$model" --weights f16 --out=
refuse "--text needs a value: --text FILE" eval "$model" --text ""
"$infer" generate "$model" --kernels sse9 >stdout 2>stderr
[ $? = 2 ] && grep -q '^sawtooth-infer: --kernels must be auto, .* not "sse9"$' stderr || fail "--kernels sse9"

finish infer.sh
