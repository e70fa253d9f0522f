#!/bin/sh
# Every program of `make bench` runs, on a tiny model and once, and writes its table and its figures; what they say is
# not tested.
set -u
. tests/cli/lib.sh
seq 500 >"$work/text.txt"
cd "$work" || exit 1

tiny_recipe text.txt
cat >>tiny.conf <<'END'
max_iters = 4
eval_interval = 2
END

# prints_table PROGRAM ARGUMENT...
prints_table() {
    rm -f figures.json
    program=$1
    shift
    succeeds "$build/bench/$program" "$@"
    grep -q '^| --- ' stdout || fail "$program: no table"
    [ -s figures.json ] || fail "$program: no figures"
}

prints_table machine figures.json 1
for program in products breakdown evaluation; do prints_table $program figures.json 1 tiny.conf; done
prints_table training figures.json 1 tiny.conf + --threads=1 + --kernels=plain
prints_table breakdown figures.json 1 tiny.conf + --dropout=0.2
FIGURES=figures.json
export FIGURES
prints_table whole_run tiny.conf --out_dir=run

finish bench.sh
