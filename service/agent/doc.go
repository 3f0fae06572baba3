// Package agent is the process of a Mesh Node: everything around the judgement of package node
// (service/docs/service.md).
//
// One loop talks with the cloud: it enrols the node's keys, adopts news from a long poll, does
// the requested work, and hands the results over. Everything that the node signs, and every
// result, is durable before it leaves. A decision that cannot be made durable ends the
// process, as its next statements could contradict the ones after a restart.
//
// The ledger makes decisions durable, and all parts share the core. The follower is the loop.
// It hands over the outbox, and gives the cloud's answers to progress (keys, policy, notices,
// checkpoints), to the integrations and to work, whose deliveries lead rotations.
//
// Alongside that loop run the local API, the export of the journal, the probes of dependencies
// and the watch over capabilities that lapse.
package agent
