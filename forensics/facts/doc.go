// Package facts judges events and documents once, under one trust file, and has one type
// for each of them.
//
// A store, be it a case or the records of a part, has events with their places and their
// judgement. Rules read these types and convert none of them into their own.
//
// Package ingest hands evidence to package store in chunks of a source, and both say how far
// each source was read.
package facts
