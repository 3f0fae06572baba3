#!/bin/sh
# Lists the packages below this folder whose own code starts goroutines or shares memory
# between them: the ones that the race detector has something to say about.
set -eu
go list -f '{{.ImportPath}} {{.Dir}} {{join .GoFiles " "}}' ./... | while read -r name dir files; do
	for file in $files; do
		if grep -qE '^[[:space:]]*go (func|[a-zA-Z_.]+)\(|\.Go\(|errgroup|sync\.(Mutex|RWMutex|WaitGroup|Cond)|atomic\.' "$dir/$file"; then
			echo "$name"
			break
		fi
	done
done
