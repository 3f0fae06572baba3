// Package bag writes and checks bags of BagIt 1.0 (RFC 8493), in which an archive is handed
// over: the objects below data/, and alongside them manifests of their digests, and tag files
// such as the ledger.
//
// A bag is hostile input. Its names are checked before anything is opened, no link is
// followed, nothing is fetched, and each mismatch is a finding. A bag does not prove its
// origin: anyone who can write its files can also write its manifests. It shows that nothing
// was lost or damaged on the way.
package bag

// The names of the tag files that the standard defines. Manifests are named
// manifest-ALGORITHM.txt and tagmanifest-ALGORITHM.txt.
const (
	declarationName = "bagit.txt"
	infoName        = "bag-info.txt"
	fetchName       = "fetch.txt"
	payloadFolder   = "data/"
)

// Limits of a bag. Anything beyond them is a finding.
const (
	maxFiles    = 1_000_000        // files, and lines of one manifest
	maxName     = 4096             // bytes of a name
	maxTag      = 1 << 20          // bytes of bagit.txt and bag-info.txt
	maxManifest = 1 << 30          // bytes of a manifest or fetch.txt
	maxLists    = 16               // manifests
	maxFindings = 10_000           // findings that are kept; the others are counted
	maxLine     = 4*maxName + 1024 // bytes of a line in a manifest: each byte of a name can be three
)
