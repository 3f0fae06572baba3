package plan

// file is a file that was found, or volumes of one.
type file struct {
	Source
	log      string   // of its first event; "" if there is none at its beginning
	weight   int64    // how much work it is
	cuttable bool     // as far as its first octets tell
	targets  []target // who is to read it, and about how far
}

// target is how far a share is to read a file.
type target struct {
	share int
	to    int64
}

// logSize is how much of a file is read to find the log of its first event.
const logSize = 64 << 10

// The work of a file, in octets: packed ones are more when they are unpacked, and
// opening a file is work, too.
const (
	packedWeight = 3
	fileWeight   = 4 << 10
)
