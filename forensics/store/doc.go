// Package store keeps the facts of a forensic examination in one SQLite file.
//
// # Runs
//
// The copies of events are in blocks (package block). A writer holds them in memory until
// there are enough; then they are sorted and written as one run, together with how far each
// source was read, in one transaction. So a process may be killed at any moment, and lost
// events are read again. No row of a run is changed: several runs are merged into a new one. A
// store is the union of its runs, which [File] reads in order.
//
// # Judgement
//
// A store is made without a trust file. The hash of the content of each event is computed
// as it is read, and its signature is kept. Each reader judges it under a trust file.
package store
