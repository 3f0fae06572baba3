// Package agent is the process of a Mesh Node: what stands around the judgement
// of package node (service/docs/service.md).
//
// One loop talks with the cloud: it enrols the node's keys, takes over what is
// new in a long poll, works on what is asked, and hands the results over.
// Everything that the node signs, and every result, is durable before it leaves.
// A decision that cannot be made durable ends the process, as what it would say
// next could contradict what it will say after a restart.
//
// The ledger makes decisions durable, and the core is what all parts share. The
// follower is the loop. It hands over the outbox, and gives what the cloud answers
// to progress (keys, policy, notices, checkpoints), to the integrations and to
// work, whose deliveries lead rotations.
//
// Beside that loop run the local API, the export of the journal, the probes of
// dependencies and the watch over capabilities that lapse.
package agent
