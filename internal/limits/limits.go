// Package limits holds every bound on the documents of the formats, each with
// its reason (SPEC 1.6). A bound is checked before the work that it bounds.
package limits

const (
	// Bundle is the size of a proof bundle in bytes. A usual one is 10 KB; the
	// largest lists that the other limits admit stay below this.
	Bundle = 16 << 20

	// Trust is the size of a trust file in bytes: room for 1024 keys of every
	// role with the longest names.
	Trust = 1 << 20

	// Event is the size of one audit event in bytes. Its data is open, so that
	// something has to bound it.
	Event = 1 << 20

	// PathLinks bounds an audit path. The way through a log of 2^53 events has
	// fewer than 200 links; a path of two disclosed events at most twice that.
	PathLinks = 4096

	// List bounds every other list of a bundle: a thousand nodes are far more
	// than any quorum needs.
	List = 1024

	// DataDepth is how deep the open data of an event may nest by itself.
	DataDepth = 16

	// Name is the length of one subject alternative name in bytes.
	Name = 1024

	// Certificate is the size of one DER certificate in bytes.
	Certificate = 64 << 10

	// Faults is how many faults of form one document reports: enough to mend
	// it, and not so many that a hostile one floods the report.
	Faults = 64
)
