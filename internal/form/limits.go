package form

// The bounds on the documents of the formats, each with its reason (SPEC 1.6). A
// bound is checked before the work that it bounds.
const (
	// MaxBundle is the size of a proof bundle in bytes. A usual one is 10 KB; the
	// largest lists that the other limits admit stay below this.
	MaxBundle = 16 << 20

	// MaxTrust is the size of a trust file in bytes: room for as many keys as it may
	// have, with the longest names.
	MaxTrust = 16 << 20

	// MaxNodeKeys bounds the node keys of a trust file. Fleets grow, and the keys of
	// earlier generations stay for as long as their evidence is kept.
	MaxNodeKeys = 1 << 16

	// MaxEvent is the size of one audit event in bytes. Its data is open, so that
	// something has to bound it.
	MaxEvent = 1 << 20

	// MaxPathLinks bounds an audit path. The way through a log of 2^53 events has
	// fewer than 200 links; a path of two disclosed events at most twice that.
	MaxPathLinks = 4096

	// MaxList bounds every other list of a bundle, and the other sections of a trust
	// file: a thousand nodes are far more than any quorum needs.
	MaxList = 1024

	// MaxDataDepth is how deep the open data of an event may nest by itself.
	MaxDataDepth = 16

	// MaxName is the length of one subject alternative name in bytes.
	MaxName = 1024

	// MaxCertificate is the size of one DER certificate in bytes.
	MaxCertificate = 64 << 10

	// MaxFaults is how many faults of form one document reports: enough to mend
	// it, and not so many that a hostile one floods the report.
	MaxFaults = 64
)
