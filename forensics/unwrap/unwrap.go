package unwrap

// Kind is what was found.
type Kind uint8

// The kinds.
const (
	Event    Kind = iota + 1 // SPEC 4.2
	Bundle                   // SPEC 7
	Envelope                 // a signed statement, such as a checkpoint: SPEC 3.1
	Packed                   // octets that were encoded, and begin as compressed data or an archive do
)

// Match is one thing that was found.
type Match struct {
	Kind Kind

	// Body is what was found, freed from all that surrounds it.
	Body []byte

	// Start and End are where it stands in the text, with its escapes.
	Start, End int

	// Steps are the ways in which it was written within the text, the outermost
	// first; none if it stands there as it is.
	Steps []string

	// Rebuilt says that the object has other members besides those of an event,
	// and Body is made of the latter.
	Rebuilt bool

	// Holds says that the hash of an event was checked, and is right.
	Holds bool
}

// Span is a part of a text.
type Span struct{ Start, End int }

// Result is what was found in a text. It is valid until the next call of Find.
type Result struct {
	Matches []Match // in the order in which they stand

	// Pieces are spans that contain pieces of an event, and nothing was found in
	// them.
	Pieces []Span

	// Open is where something begins that may go on behind the text; -1 if
	// nothing does.
	Open int

	// Deep says that more is left in Pieces because it is wrapped too deep.
	Deep bool
}

// MaxLevels is how many wrappings are undone, one within the other.
const MaxLevels = 8

// costOfAll bounds the work: so many times a text may be looked at. Each level
// costs it a few times.
const costOfAll = 64

// Finder finds what texts contain. The zero value is ready. It is not safe for
// concurrent use.
type Finder struct {
	levels [MaxLevels + 1]level
	steps  []string
	result Result
	kept   []byte // the bodies that were decoded
	mended level
	budget int64 // how many octets may be looked at in all

	// Looked counts the octets that were looked at, some more than once.
	Looked int64

	// IsPacked reports whether octets begin as compressed data or an archive do.
	// If it is nil, none do.
	IsPacked func([]byte) bool
}

// level is what a text at one depth is searched with.
type level struct {
	walk    walk
	anchors []anchor
	decoded []byte
	marks   []mark
}
