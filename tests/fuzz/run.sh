#!/bin/sh
# Fuzzes each target that is named for $FUZZ_SECONDS seconds, from its seeds and from what earlier runs found worth
# keeping, and tells what was reached. Called by `make fuzz`. An input that fails is left in $BUILD/findings: it belongs in
# tests/fuzz/regressions/TARGET when it is understood.
set -u
if ! echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
    clang -xc - -fsanitize=fuzzer,address,undefined -o /dev/null 2>/dev/null; then
    echo "fuzz: skipped: no clang with libFuzzer here"
    exit 0
fi

programs=$(printf "$BUILD/fuzz/%s " "$@")
# The kernels run as they are: they read no inputs.
# shellcheck disable=SC2086 # a list of targets
${MAKE:-make} --no-print-directory BUILD="$BUILD" CC=clang OPENBLAS=0 FUZZ_BY= LDFLAGS=-fsanitize=fuzzer \
    KERNEL_OPT='-O1 -fno-sanitize=all -fno-profile-instr-generate -fno-coverage-mapping' \
    EXTRA="-O1 -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all \
-fprofile-instr-generate -fcoverage-mapping" $programs || exit 1

# read_by TARGET: the sources that read the target's inputs.
read_by() {
    case $1 in
    fuzz_archive) echo common/archive_reader.c common/checkpoint_read.c ;;
    fuzz_checkpoint) echo common/checkpoint_read.c common/checkpoint_tensor.c common/checkpoint_members.c ;;
    fuzz_meta) echo common/checkpoint_meta.c common/json_zero.c ;;
    fuzz_npy) echo common/npy.c ;;
    fuzz_config) echo common/settings_file.c common/settings.c common/setting_type.c common/parse.c ;;
    fuzz_tokens) echo common/corpus.c ;;
    fuzz_corpus) echo common/corpus.c common/tokenizer.c common/utf8.c ;;
    fuzz_prompt) echo infer/prompt.c common/arguments.c common/tokenizer.c ;;
    esac
}

# lines TARGET: which share of the lines of each such source was reached.
lines() {
    llvm-profdata merge -o "$BUILD/$1.profdata" "$BUILD/$1.profraw" 2>/dev/null || return
    for source in $(read_by "$1"); do
        llvm-cov report "$BUILD/fuzz/$1" -instr-profile="$BUILD/$1.profdata" "$source" |
            awk -v name="${source##*/}" '$1 == "TOTAL" { printf ", %s %s", name, $10 }'
    done
}

# fuzz TARGET
fuzz() {
    mkdir -p "$BUILD/corpus/$1"
    LLVM_PROFILE_FILE=$BUILD/$1.profraw "$BUILD/fuzz/$1" -max_total_time="$FUZZ_SECONDS" -rss_limit_mb=512 \
        -timeout="$timeout" -report_slow_units="$timeout" -max_len=8192 -print_final_stats=1 \
        -artifact_prefix="$BUILD/findings/$1-" "$BUILD/corpus/$1" tests/fuzz/*/"$1" >"$BUILD/$1.log" 2>&1
}

timeout=${FUZZ_TIMEOUT:-25}               # seconds for an input
export ASAN_OPTIONS=quarantine_size_mb=16 # beside the 4 MB of a vocabulary's table
[ ! -d /dev/shm ] || export TMPDIR=/dev/shm
mkdir -p "$BUILD/findings"
failed=
for target in "$@"; do
    log=$BUILD/$target.log
    fuzz "$target" || { failed="$failed $target" && tail -n 40 "$log"; }
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    echo "$target: ${runs:-?} runs, ${edges:-?} edges$(lines "$target")"
done
[ -z "$failed" ] || { echo "FAILED:$failed: the inputs are in $BUILD/findings" && exit 1; }
