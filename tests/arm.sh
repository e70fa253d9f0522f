#!/bin/sh
# Runs a driver built for 64-bit ARM under an emulator: its fingerprints must be those that
# tests/test_processor_invariance.c holds.
set -eu
want=$(sed -n 's/^static const uint64_t TRAINED = 0x\([0-9a-f]*\), NARROW = 0x\([0-9a-f]*\);$/\1 \2/p' \
    tests/test_processor_invariance.c)
[ -n "$want" ] || { echo "arm: no fingerprints in tests/test_processor_invariance.c" >&2; exit 1; }
status=0
"${QEMU:-qemu-aarch64}" "$1" | {
    sets=0
    while read -r kernels found; do
        sets=$((sets + 1))
        [ "$found" = "$want" ] && echo "arm: $kernels gives the same bits: $found" && continue
        echo "arm: $kernels gives $found, expected $want"
        status=1
    done
    [ "$sets" -gt 0 ] || { echo "arm: the driver printed nothing"; status=1; }
    exit "$status"
}
