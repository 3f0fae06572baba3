// Package bench measures whole runs of the program, as benchmarks: a journal, many bundles, an
// archive of them, evidence in parts, and hard inputs, each with its baselines. The evidence has
// real keys and signatures.
//
// A command of the program is a process. Its measure is the CPU time of that process, user and
// system, over all threads. The stages of one benchmark run side by side, so that whatever else
// the machine does slows all of them: compare them with each other.
//
//	go test ./bench -run '^$' -bench Journal -benchtime 1x -count 5 -events 100000 > bench.txt
//	benchstat -col /stage bench.txt
//
// A stage fails if the program does not find all evidence, so that nothing is measured that did
// nothing.
package bench
