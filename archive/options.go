package archive

import (
	"time"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/listing"
)

// Options configure the check of an archive.
type Options struct {
	Dir   string // the folder
	Judge *object.Judge
	Tool  string // name and version of the program
	// ToolSHA256 is the digest of the program's file; zeros if it is not known.
	ToolSHA256 run.Digest

	At     time.Time     // when the check began
	Fixed  bool          // every object is read At, whatever a clock shows
	Budget time.Duration // no object is begun after this time; 0 for no limit
	MaxAge time.Duration // an object whose last reading is older is stale; 0 for never
	Sample int64         // of [PartsOfAll] objects that are neither new nor failed; 0 for all
	Seed   string        // of the sample
	// Ignore are the patterns of files to pass over from this run on. If it is nil, the patterns of the newest run
	// count; an empty list passes over nothing.
	Ignore listing.Patterns
	Adopt  bool // a ledger under another user's key becomes this user's
	// Expect is the digest of a run that the ledger must have; nil for any.
	Expect *run.Digest

	Workers  int            // how many objects are read at once, at least 1
	TempDir  string         // for temporary files; "" is where they usually are
	Records  bool           // the result has a record of every object, not only of notable ones
	Progress func(Progress) // called after each object; may be nil

	// Elapsed returns how long the check has run. Workers ask it before each object; nil is
	// for the clock.
	Elapsed func() time.Duration
}

// mostAhead is how much later than now a reading can be, as clocks differ. One that is later
// yet was dated by a wrong clock, and would otherwise be new for years.
const mostAhead = 24 * time.Hour

// isAhead reports whether a reading, in milliseconds since 1970, is too late for a time.
func isAhead(readAt int64, now time.Time) bool { return readAt > now.Add(mostAhead).UnixMilli() }

// IsStale reports whether a reading, in milliseconds since 1970 and 0 for none, is older at a time
// than an age, or cannot be from before it.
func IsStale(readAt int64, now time.Time, age time.Duration) bool {
	return readAt == 0 || readAt < now.Add(-age).UnixMilli() || isAhead(readAt, now)
}

// isStale reports whether a reading is stale by MaxAge. Without one none is.
func (o *Options) isStale(readAt int64) bool { return o.MaxAge != 0 && IsStale(readAt, o.At, o.MaxAge) }

// Progress is how far a check is.
type Progress struct {
	Name     string // of the object that was done last
	Done, Of int64  // objects
}
