// Package intake has the types in which package ingest hands evidence to package store: chunks of
// a source, and how far each source was read.
package intake
