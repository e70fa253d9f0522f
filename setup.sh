#!/bin/sh
# Installs what Sawtooth is built and tested with.
#   sh setup.sh       compilers and libraries; numpy for tests/interop, curl for the corpus
#   sh setup.sh ci    also what .ci/run needs: a second compiler, 64-bit ARM, style and static checks
# On Debian and Ubuntu as root or with sudo; elsewhere it says what is missing. Where nothing is missing it
# does nothing, and needs no network. Exit status 1: something that Sawtooth cannot be built without
# is missing.
set -eu

header() {
    printf '#include <%s>\n' "$2" | "$1" -E -
}

numpy() {
    python3 -c 'import numpy' || /usr/bin/python3 -c 'import numpy'
}

fuzzer() {
    echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | clang -xc - -fsanitize=fuzzer,address -o /dev/null
}

# Notes package $1 as missing unless the command after it succeeds.
need() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

# The same for what can be done without.
want() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || wanted="$wanted $package"
}

look_for_basics() {
    need gcc command -v gcc
    need libc6-dev header gcc stdio.h
    need make command -v make
    need pkg-config command -v pkg-config
    need libopenblas-dev header gcc cblas.h
    need zlib1g-dev header gcc zlib.h
    need libzip-dev header gcc zip.h
    need libcjson-dev header gcc cjson/cJSON.h
    need libinih-dev header gcc ini.h
    need check header gcc check.h
    want curl command -v curl
    want ca-certificates test -e /etc/ssl/certs/ca-certificates.crt
    want python3-numpy numpy
}

look_for_checks() {
    need clang command -v clang
    want libclang-rt-dev fuzzer
    need gcc-aarch64-linux-gnu command -v aarch64-linux-gnu-gcc
    need libc6-dev-arm64-cross header aarch64-linux-gnu-gcc stdio.h
    need qemu-user command -v qemu-aarch64
    need shellcheck command -v shellcheck
    need clang-format command -v clang-format
    need clang-tidy command -v clang-tidy
    need cppcheck command -v cppcheck
    need valgrind command -v valgrind
}

look() {
    missing=
    wanted=
    look_for_basics
    if [ "$purpose" = ci ]; then look_for_checks; fi
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

apt() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@"
}

can_install() {
    command -v apt-get >/dev/null && { [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null; }
}

purpose=${1:-build}
case $#:$purpose in
0:build | 1:ci) ;;
*)
    echo "usage: sh setup.sh [ci]" >&2
    exit 2
    ;;
esac

look
if [ -n "$missing$wanted" ] && can_install; then
    echo "setup: installing$missing$wanted"
    apt update || echo "setup: no fresh package lists; trying with those that are here" >&2
    for packages in "$missing" "$wanted"; do
        # shellcheck disable=SC2086 # a list of package names
        apt install -y --no-install-recommends $packages || echo "setup: could not install$packages" >&2
    done
    look
fi

if [ -n "$wanted" ]; then echo "setup: not here, and some things go without (Debian's names):$wanted" >&2; fi
if [ -n "$missing" ]; then
    echo "setup: missing (Debian's names; install what your system calls them):$missing" >&2
    exit 1
fi
echo "setup: everything that is needed is here"
