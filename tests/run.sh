#!/bin/sh
# Runs the test suites given by name, then the command-line tests; says what failed. Called by `make test`.
set -u
build=${BUILD:-build}
failed=
for suite in "$@"; do
    "$build/tests/$suite" || failed="$failed $suite"
done
for script in tests/cli/train.sh tests/cli/infer.sh tests/cli/kill.sh tests/cli/surroundings.sh tests/cli/readme.sh tests/interop/run.sh; do
    [ -f "$script" ] || continue
    SAWTOOTH_BUILD=$build SAWTOOTH_INFER=$build/sawtooth-infer sh "$script" || failed="$failed $script"
done
if [ -n "$failed" ]; then
    echo "FAILED:$failed"
    exit 1
fi
echo "every test passed"
