#!/bin/sh
# Fuzzes every fuzz target of the project in turn, and fails if one is executed
# fewer times than wanted. Usage: fuzz.sh TIME-EACH EXECUTIONS PACKAGE..., such as
# fuzz.sh 10m 1000 ./..., or fuzz.sh 2000x 2000 ./... for a number of inputs.
#
# For a time, inputs are guided by the code that they reach, for which everything is
# compiled anew. A number of inputs is too few to be guided: the program is that of the
# other tests. Each package has one program for all of its targets.
#
# An input that reaches new code is made shorter by at most 20 executions. Without
# that bound a slow target spends all of its time on its first such input.
set -eu
each=$1 least=$2
shift 2
test $# -gt 0 || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $each in
*x) guided= ;;
*) guided=-fuzz=. ;;
esac
few=
# folders prints the folder of each package with targets. The sources say so; to build every
# test takes minutes.
folders() {
	go list -f '{{.Dir}}{{range .TestGoFiles}} {{.}}{{end}}{{range .XTestGoFiles}} {{.}}{{end}}' "$@" |
		while read -r folder files; do
			if (cd "$folder" && test -n "$files" && grep -qs '^func Fuzz' $files); then echo "$folder"; fi
		done
}
packages=$(folders "$@")
for folder in $packages; do
	cd "$folder"
	go test -c $guided -ldflags=-w -vet=off -o "$work/tests" .
	for target in $(sed -n 's|^func \(Fuzz[A-Za-z0-9_]*\)(f \*testing\.F) {.*|\1|p' ./*_test.go); do
		echo "$folder $target"
		failed=
		"$work/tests" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$each" -test.fuzzminimizetime 20x \
			-test.fuzzcachedir "$(go env GOCACHE)/fuzz/$(go list)" >"$work/said" 2>&1 || failed=yes
		cat "$work/said"
		test -z "$failed" || exit 1
		# The last of the lines "fuzz: elapsed: 3s, execs: 325017 (108336/sec), ..."
		done=$(sed -n 's/^fuzz: .* execs: \([0-9]*\) .*/\1/p' "$work/said" | tail -1)
		if test "${done:-0}" -lt "$least"; then
			few="$few
$folder $target: ${done:-0} executions, expected at least $least"
		fi
	done
done
test -z "$few" || { echo "too few executions:$few" >&2; exit 1; }
