// Package tamper has scripts that tamper with the evidence of a fleet. Each makes one change,
// and returns a description of it.
//
// Some are accidents (a copy that broke off, a pipe among the files). Some are
// attacks without a key (deleted events, an altered body). Some are attacks with
// a node's key or the audit key: the attacker signs a consistent history, and
// only evidence beyond his reach contradicts it. A script whose name starts with
// "near-" is a near miss: it resembles an attack and is harmless, and a report
// must not mention it.
//
// A script defines the change and its place; package forge makes the change. It changes a copy
// of the evidence in memory, and does the same to the same evidence every time.
package tamper
