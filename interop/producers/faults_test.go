package producers

// faults are forms that are not read as they should be, with what is wrong. The test
// fails where one is read right after all: its line must go then.
var faults = map[string]string{
	"pack/lzma":   lzmaAlone,
	"python/lzma": lzmaAlone,

	"pack/cpio-newc": namedOpen,
	"pack/cpio-odc":  namedOpen,
	"pack/cpio-crc":  namedOpen,
	"pack/cpio-bin":  namedOpen,
	"pack/ar":        namedOpen,

	"python/bson":              namedOpen,
	"python/bson-event":        ownTypes,
	"python/msgpack-fluent":    namedOpen,
	"python/msgpack-event":     ownTypes,
	"python/mongoexport-event": "numbers in extended JSON are objects: the events are called malformed",

	"python/mail-attached-quoted": gapRejects,
	"postgresql/psql-troff":       gapRejects,
	"python/pprint":               "\\xa0 in Python's text is a code point, here it is an octet",
	"python/repr-record":          "\\xa0 in Python's text is a code point, here it is an octet",
	"python/pickle":               namedOpen,
	"postgresql/copy-binary":      namedOpen,
	"sqlite/box-wrapped":          "a piece of an event that is wrapped in a cell is no damage: what was cut verifies",
	"text/uuencode":               "it is text of another service, and not named",
}

// What is wrong with several forms.
const (
	namedOpen  = "a binary format that is only named leaves the verdict open, though all events in it are read"
	lzmaAlone  = "LZMA without a container is neither read nor named"
	ownTypes   = "an event that is a document of the store's own types is not read"
	gapRejects = "what is not read leaves a gap that rejects, rather than one that is open"
)
