#!/bin/sh
# Brings tiny-shakespeare to data/tinyshakespeare/input.txt, bit for bit, from the first of these that has it:
# a copy already there, the file that the variable TINYSHAKESPEARE names, ../shared/tinyshakespeare/input.txt
# (from the repository's root), its public home. Exit status 0: it is there. 3: no source has it.
set -eu
url=https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt
hash=86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed
here=$(dirname "$0")
target=$here/tinyshakespeare/input.txt

sha256() {
    if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi <"$1" | cut -d ' ' -f 1
}

# Is $1 the corpus? $2 is what to call it.
is_corpus() {
    found=$(sha256 "$1")
    [ "$found" = "$hash" ] && return 0
    echo "fetch: $2 is not tiny-shakespeare: its SHA-256 is $found, expected $hash" >&2
    return 1
}

# Puts file $1 in place if it is the corpus; a reader sees the whole file or none.
install_copy() {
    cp "$1" "$work/copy" && chmod 644 "$work/copy" && is_corpus "$work/copy" "$2" && mv "$work/copy" "$target"
}

download() {
    if command -v curl >/dev/null; then
        curl -fsL --connect-timeout 10 --max-time 120 -o "$1" "$url"
    elif command -v wget >/dev/null; then
        wget -q --timeout=20 --tries=1 -O "$1" "$url"
    else
        return 1
    fi
}

if [ -f "$target" ] && is_corpus "$target" "$target"; then exit 0; fi

mkdir -p "$here/tinyshakespeare"
work=$(mktemp -d "$here/tinyshakespeare/.fetch-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

for source in "${TINYSHAKESPEARE:-}" "$here/../../shared/tinyshakespeare/input.txt"; do
    if [ -f "$source" ] && install_copy "$source" "$source"; then exit 0; fi
done
if download "$work/download" && install_copy "$work/download" "$url"; then exit 0; fi

echo "fetch: tiny-shakespeare cannot be had from $url: let TINYSHAKESPEARE name a copy, or take the text that" \
    "make data/play/input.txt writes (--data=data/play/input.txt)" >&2
exit 3
