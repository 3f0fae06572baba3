// Package handover exports an archive: a bag of BagIt (package bag) with all objects,
// and beside them a copy of the ledger, the records of its runs, trust files, seals,
// and the same history as PREMIS events.
//
// A bag is exactly what the ledger says. The octets of each object are hashed while
// they are copied. If anything is not as the ledger has it, there is no bag.
package handover

import (
	"time"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/listing"
)

// Options say what is exported, and where to.
type Options struct {
	Dir    string // the archive; nothing in it is written
	Ledger string
	Secret ledger.Secret
	Trust  []string // files that go along
	Seals  []string // seals, proofs and tokens that go along
	Out    string   // the folder that the bag becomes; there must be nothing yet
	Tar    string   // also as an archive, "" for none; there must be nothing yet
	At     time.Time
	Tool   string // name and version of the program

	// Progress is told each object before it is copied, and how many were.
	Progress func(path string, objects int64)
}

// export is an export under way.
type export struct {
	Options
	result   Result
	findings []Finding
	more     int64
	root     *listing.Root
	ledger   *ledger.Ledger
}
