// Package harness is the whole service in one process. A cloud, Mesh Nodes and a protected
// signer make evidence as the specification requires, from a seed and with a clock of their
// own. The same seed gives the same bytes.
//
// It is the producer of all evidence in tests and demonstrations. It shares no encoder, parser
// or rule with the verifier: both are written from the specification, so that each reveals
// faults of the other. There are two exceptions. A node replays the tenant log with package
// chain before it witnesses a checkpoint, because it is a verifier then. Package dumps writes
// the content of stores: it uses the names of formats in package forensics/read, and parses
// bodies with package ijson.
//
// [Build] plays a scene by name and returns its evidence together with every
// private key. [Scene.Write] writes the evidence to files. Package forge makes bad
// evidence out of it, package tamper does so with everything that a fleet leaves
// behind, and a [World] can be played step by step.
package harness
