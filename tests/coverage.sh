#!/bin/sh
# Line coverage of common/, train/ and infer/ from a build that counts (make coverage): the lines that no test has
# reached, then the share that one has, file by file and in all. A file that is compiled more than once, as the kernels
# are, is covered where one of its objects is. Fails below COVERAGE percent (92).
set -eu
build=$1
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT

find "$build/obj/common" "$build/obj/train" "$build/obj/infer" "$build"/obj/kernels-* -name '*.gcno' |
    while read -r notes; do gcov --stdout --relative-only "$notes" 2>/dev/null; done >"$lines"

# COUNT:LINE:TEXT, where COUNT is - for no code and ##### for code that was not reached
awk -F : -v least="${COVERAGE:-92}" '
    $2 + 0 == 0 { if ($3 == "Source") file = $4; next }
    $1 ~ /-/ || file !~ /^(common|train|infer)\// { next }
    { key = file SUBSEP ($2 + 0) }
    !(key in reached) { reached[key] = 0; text[key] = substr($0, length($1 $2) + 3) }
    $1 !~ /#|=/ { reached[key] = 1 }
    END {
        for (key in reached) {
            split(key, at, SUBSEP)
            lines[at[1]]++
            hit[at[1]] += reached[key]
            if (!reached[key]) printf "%s:%05d: %s\n", at[1], at[2], text[key] | "sort"
        }
        close("sort")
        for (file in lines) {
            printf "%6.1f %%  %4d of %4d  %s\n", 100 * hit[file] / lines[file], hit[file], lines[file], file | "sort -n"
            all += lines[file]
            covered += hit[file]
        }
        close("sort -n")
        printf "%.2f %% of %d lines\n", 100 * covered / all, all
        exit 100 * covered / all < least
    }' "$lines"
