// Package affected lists the transactions that an incident reaches.
//
// An incident makes the word of a log doubtful in some of its events. A transaction is reached if
// any evidence about it rests on that word. It may be genuine all the same: nothing here is called
// forged.
//
// # Range
//
// The range of an incident starts after the last event that others witnessed before the fault, or
// at event 1. It ends with the events of the incident or, for a fork or a misused key, with the
// log: every later word of that key is doubtful. A range that a user gives is taken as it is.
//
// # Reached
//
// An event in the range reaches its transaction. A statement that a node signs is also in the
// tenant log and in proofs (SPEC 4.4). Such a statement reaches its transaction unless the
// journal records it outside of the range. So one that the journal does not record at all
// counts, such as a statement under a stolen key. A proof is also reached if its checkpoint,
// or an event that it discloses, is in a range of the tenant log. A proof that does not verify
// reaches the transaction that it names.
//
// # Quorum
//
// A genuine proof has the approvals and the witnesses, with the numbers that are required (SPEC
// 5.3, 8.10). A certificate has no quorum if fewer are left without the nodes of the incident.
// Without a proof that is unknown, except that a complete tenant log without any other approval
// shows that there is none.
//
// # Cost
//
// Each log and each proof is read a constant number of times.
package affected
