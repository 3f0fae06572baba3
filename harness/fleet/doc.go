// Package fleet makes the evidence of a fleet of nodes. It is a scene, the exports
// of each node's journal, and the dumps of the stores behind the collectors.
//
// An exporter cuts a journal into batches of 1 to 64 events, each with the id of
// SPEC 9.2, sends them in order, and some of them again, since delivery is at
// least once. After each batch the node signs a cursor (SPEC 9.3). A collector
// passes the same deliveries to every store, and each store is dumped in the
// forms in which it is usually dumped.
//
// [Build] makes the evidence as [Evidence], a set of files in memory. Large files are made
// when they are written. [Edited] changes its files and the batches in them; package tamper
// does so to attack.
package fleet
