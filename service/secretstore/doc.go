// Package secretstore is the adapter that delivers certificates into a KV
// version 2 secrets engine (service/docs/secret-store.md). It writes each chain
// with its key as a generation that is never overwritten, and moves one pointer
// by check-and-set, gated by a health check.
//
// The adapter does not trust the store or the connection to report what happened:
// an answer may be late, lost or repeated, and others may write. Every intention
// is durable before it is carried out, and the outcome of a write is decided by
// reading.
package secretstore
