#!/bin/sh
# Usage: concurrent.sh PACKAGE...
# Lists those of the packages that start goroutines, or share memory between those of
# their tests: the ones that the race detector has something to say about. A package that has a
# lock, and whose tests start nothing, is tried with those that call it.
set -eu
test $# -gt 0 || exit 0
starts='^[[:space:]]*go (func|[a-zA-Z_.]+)\(|\.Go\(|errgroup'
shares='sync\.(Mutex|RWMutex|WaitGroup|Cond)|atomic\.'
go list -f '{{.ImportPath}} {{.Dir}} {{join .GoFiles " "}} - {{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}' "$@" |
	while read -r name dir files; do
		cd "$dir"
		code=${files%%-*} tests=${files#*-}
		if test -n "$code" && { grep -qE "$starts" $code ||
			{ grep -qE "$shares" $code && test -n "${tests# }" && grep -qE "$starts" $tests; }; }; then
			echo "$name"
		fi
	done
