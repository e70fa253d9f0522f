#!/bin/sh
# Runs the test suites given by name, then the command-line tests; says what failed. Called by `make test`.
set -u
build=${BUILD:-build}
failed=
for suite in "$@"; do
    "$build/tests/$suite" || failed="$failed $suite"
done
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for seeds in tests/fuzz/seeds/*; do # what fuzzing starts from, and what it has found
    target=${seeds##*/}
    "$build/fuzz/$target" tests/fuzz/*/"$target" 2>"$log" || { tail -n 40 "$log" && failed="$failed $target"; }
done
for script in tests/cli/bad_input.sh tests/cli/train.sh tests/cli/infer.sh tests/cli/kill.sh tests/cli/surroundings.sh tests/cli/trouble.sh tests/cli/numbers.sh \
    tests/cli/bench.sh tests/cli/readme.sh tests/interop/run.sh; do
    SAWTOOTH_BUILD=$build SAWTOOTH_INFER=$build/sawtooth-infer sh "$script" || failed="$failed $script"
done
if [ -n "$failed" ]; then
    echo "FAILED:$failed"
    exit 1
fi
echo "every test passed"
