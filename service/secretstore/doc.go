// Package secretstore is the adapter that delivers certificates into a KV
// version 2 secrets engine (service/docs/secret-store.md). It
// writes each chain with its key as a generation that is never overwritten, and
// moves one pointer by check-and-set, gated by a health check.
//
// The adapter trusts neither the store nor the connection to say what happened:
// an answer may be late, lost, or given twice, and others may write. What it
// means to do is durable before it does it, and what became of a write is
// decided by reading.
package secretstore
