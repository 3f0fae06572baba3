#!/bin/sh
# Fuzzes every fuzz target of the project in turn. Usage: fuzz.sh TIME-EACH, such
# as 10m, or 2000x for a number of inputs
set -eu
for package in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "$package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$1" "$package"
	done
done
