#!/bin/sh
# Fuzzes every fuzz target of the project in turn, and fails if one is executed
# fewer times than wanted. Usage: fuzz.sh TIME-EACH [EXECUTIONS [PACKAGES]], such
# as fuzz.sh 10m, or fuzz.sh 2000x 2000 for a number of inputs. Without a number
# it is 1000.
#
# An input that reaches new code is made shorter by at most 20 executions. Without
# that bound a slow target spends all of its time on its first such input.
set -eu
each=$1 least=${2:-1000} packages=${3:-./...}
said=$(mktemp)
trap 'rm -f "$said"' EXIT
few=
# targets prints PACKAGE:TARGET for each. The sources say so; to build every test takes minutes.
targets() {
	go list -f '{{.ImportPath}} {{.Dir}} {{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}' "$packages" |
		while read -r package dir files; do
			for file in $files; do
				sed -n "s|^func \(Fuzz[A-Za-z0-9_]*\)(f \*testing\.F) {.*|$package:\1|p" "$dir/$file"
			done
		done
}
for place in $(targets); do
	package=${place%:*} target=${place#*:}
	echo "$package $target"
	failed=
	go test -ldflags=-w -vet=off -run '^$' -fuzz "^$target\$" -fuzztime "$each" -fuzzminimizetime 20x \
		"$package" >"$said" 2>&1 || failed=yes
	cat "$said"
	test -z "$failed" || exit 1
	# The last of the lines "fuzz: elapsed: 3s, execs: 325017 (108336/sec), ..."
	done=$(sed -n 's/^fuzz: .* execs: \([0-9]*\) .*/\1/p' "$said" | tail -1)
	if test "${done:-0}" -lt "$least"; then
		few="$few
$package $target: ${done:-0} executions, expected at least $least"
	fi
done
test -z "$few" || { echo "too few executions:$few" >&2; exit 1; }
