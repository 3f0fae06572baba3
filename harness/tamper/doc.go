// Package tamper is what can be done to the evidence of a fleet: scripts that
// each do one thing to it, and say what they did.
//
// Some are accidents (a copy that broke off, a pipe among the files), some are
// attacks without a key (events deleted, a body altered), and some are attacks
// by whoever holds a node's key or the audit key: those sign a consistent
// history, and only what lies outside their reach tells. A script whose name
// begins with "near-" is a near miss: it looks like such a thing and is none,
// so that nothing may be said about it.
//
// A script changes a copy of the evidence in memory. The same script does the
// same to the same evidence every time.
package tamper
