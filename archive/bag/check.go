package bag

import "github.com/svc-edge/svc-verify/archive/object"

// Options are what a bag is checked with. The zero value checks the bag alone.
type Options struct {
	Place string // the bag as its user calls it, for reports
	// Judge verifies the objects of the payload; nil if they are not to be.
	Judge *object.Judge
	// Progress is told the name of each file before it is read, and how many were.
	Progress func(name string, files int64)
}

// file is a name of the bag: of a file that is there, or that is listed.
type file struct {
	there  bool
	read   bool
	size   int64
	lists  uint32    // the manifests that list it, one bit each
	digest [4]string // by algorithm, "" if no manifest has it
	hole   bool      // fetch.txt has it
}

// manifest is a manifest as it was read. Its lines wait for the version of the bag,
// which says how names are written.
type manifest struct {
	name      string
	tags      bool // a tag manifest
	algorithm int  // in algorithms
	lines     []listed
}
