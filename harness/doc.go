// Package harness is the whole service in one process: a cloud, Mesh Nodes and
// a protected signer that make evidence as the specification says, from a seed
// and with a clock of its own. The same seed gives the same bytes.
//
// It is the producer of all evidence in tests and demonstrations. It shares no
// encoder, no parser and no rule with the verifier: both are written from the
// specification, so that a fault in one is seen by the other. The one
// exception is package chain, which a node uses where it is a verifier itself,
// to replay the tenant log before it witnesses a checkpoint.
//
// [Build] plays a scene by name and returns its evidence together with every
// private key. [Scene.Write] writes the evidence to files. Package forge makes bad
// evidence out of it, package tamper does so to all that a fleet leaves behind,
// and a [World] can be played step by step.
package harness
