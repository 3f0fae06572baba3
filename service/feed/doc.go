// Package feed is a node's feed of trust events (SPEC 10,
// service/docs/service.md). They are signed notifications that are kept for a
// while and handed to observers who ask for them.
//
// An event is published in the update of the store that makes its cause durable.
// So there is none without its cause, no cause without its event, and no gap in
// the sequences, whatever happens to the process.
//
// Observers are known by the SPIFFE id of their client certificate. Nothing is kept of them:
// each states with a cursor how far it has come. An observer that stays away for longer than
// events are kept gets an error, and never a later event as if it were the next one.
package feed
