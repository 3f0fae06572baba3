package producers

// faults are forms that are not read as they should be, with what is wrong. The test
// fails where one is read right after all: its line must go then.
var faults = map[string]string{
	"pack/cpio-newc": namedOpen,
	"pack/cpio-odc":  namedOpen,
	"pack/cpio-crc":  namedOpen,
	"pack/cpio-bin":  namedOpen,
	"pack/ar":        namedOpen,

	"python/bson":           namedOpen,
	"python/bson-event":     ownTypes,
	"python/msgpack-fluent": namedOpen,
	"python/msgpack-event":  ownTypes,

	"python/pickle":          namedOpen,
	"postgresql/copy-binary": namedOpen,
}

// What is wrong with several forms.
const (
	namedOpen = "a binary format that is only named leaves the verdict open, though all events in it are read"
	ownTypes  = "an event that is a document of the store's own types is not read"
)
