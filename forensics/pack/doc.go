// Package pack makes and verifies packs (SPEC 22): chosen events of logs, with the proof of their
// places, in one file that needs no case.
//
// # The file
//
// A pack is lines of canonical JSON, each an object with one member:
//
//	pack                          claims of the maker of the pack
//	proof …                       bundles, as they were read
//	checkpoint …                  checkpoints with the receipts of their witnesses
//	history, then for each event  disclosed: the whole event
//	                              redacted: the event without its body
//	                              link: an event on the way between two of these
//	end                           the digest of all lines before it
//
// # Proof
//
// A history goes from its newest event down to its oldest one, along the ways of SPEC 4.3. The log's
// owner signed each event that was chosen, and each hash on the way is in the event above. So the
// place of an event in the log is proven, even if its body was left out. The checkpoints,
// and events of other logs that name a hash of the history, show that others saw it.
//
// A pack shows nothing of events that are not in it, and nothing proves the claims of its maker.
package pack
