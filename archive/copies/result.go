package copies

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// ResultSchema names the JSON form of a [Result].
const ResultSchema = "svc-verify/archive-compare/v1"

// The states of an object, and where it is whole.
const (
	Same       = "same"
	Different  = "different"
	OnlyHere   = "only-in-archive"
	OnlyThere  = "only-in-copy"
	Absent     = "absent" // from both
	Unreadable = "unreadable"

	InBoth    = "both"
	InArchive = "archive"
	InCopy    = "copy"
	InNeither = "neither"
	Unknown   = "unknown"
)

// Result is the result of a comparison.
type Result struct {
	Schema      string          `json:"schema"`
	Verdict     outcome.Class   `json:"verdict"`
	NotExamined []string        `json:"not_examined"` // sentences
	Ledger      ledger.Standing `json:"ledger"`       // or none; only the user's own counts
	Counts      Counts          `json:"counts"`
	Objects     []Object        `json:"objects"` // those that are not the same and whole in both, by path
	More        int64           `json:"more_objects"`
}

// Counts are numbers of objects.
type Counts struct {
	Objects   int64 `json:"objects"`
	Same      int64 `json:"same"`       // in both
	InArchive int64 `json:"in_archive"` // whole in the archive alone
	InCopy    int64 `json:"in_copy"`    // whole in the copy alone
	InNeither int64 `json:"in_neither"` // whole in neither
	Unknown   int64 `json:"unknown"`    // different, and nothing decides which is whole
	BothWhole int64 `json:"both_whole"` // different, and both verify
	Unread    int64 `json:"unreadable"` // in at least one
	Unproven  int64 `json:"unproven"`   // the same, without a record in the ledger or a verdict
}

// Object is one object in both folders.
type Object struct {
	Path    string `json:"path"`   // as text (SPEC 15.1)
	State   string `json:"state"`  // same, different, only-in-archive, only-in-copy, absent or unreadable
	Whole   string `json:"whole"`  // both, archive, copy, neither or unknown
	By      string `json:"by"`     // the basis of Whole: ledger, verification or nothing
	SHA256  string `json:"sha256"` // that the ledger recorded; "" without it
	Archive Side   `json:"archive"`
	Copy    Side   `json:"copy"`
	// Commands are lines for a shell that copy the whole object to the other folder, and Words their words.
	Commands []string   `json:"commands"`
	Words    [][]string `json:"-"`
}

// Side is an object in one folder.
type Side struct {
	Size    int64         `json:"size"`
	SHA256  string        `json:"sha256"`  // "" if it is not there, or could not be read
	Verdict outcome.Class `json:"verdict"` // "" if it was not verified, or is no evidence
	Fault   string        `json:"fault"`   // why it could not be read
}

func newResult() *Result {
	return &Result{Schema: ResultSchema, Verdict: outcome.Verified, NotExamined: []string{},
		Objects: []Object{}}
}

// stateOf compares an object in both folders.
func stateOf(both *[2]found) string {
	a, b := &both[0], &both[1]
	switch {
	case a.Fault != "" || b.Fault != "":
		return Unreadable
	case !a.there && !b.there:
		return Absent
	case !b.there:
		return OnlyHere
	case !a.there:
		return OnlyThere
	case a.SHA256 == b.SHA256:
		return Same
	}
	return Different
}

// wholeOf names the folders that have an object whole.
func wholeOf(whole [2]bool, by string) string {
	switch {
	case by == "nothing":
		return Unknown
	case whole[0] && whole[1]:
		return InBoth
	case whole[0]:
		return InArchive
	case whole[1]:
		return InCopy
	}
	return InNeither
}

// mostObjects is how many objects a result lists.
const mostObjects = 10_000

// addObject counts an object, and lists it if it is not the same and whole in both.
func (r *Result) addObject(o *Object) {
	n := &r.Counts
	n.Objects++
	sound := o.State == Same && o.Whole != InNeither
	for _, part := range []struct {
		is bool
		n  *int64
	}{
		{o.State == Same, &n.Same}, {o.Whole == InArchive, &n.InArchive}, {o.Whole == InCopy, &n.InCopy},
		{o.Whole == InNeither, &n.InNeither}, {o.Whole == Unknown && !sound, &n.Unknown},
		{o.Whole == InBoth && !sound, &n.BothWhole}, {o.State == Unreadable, &n.Unread},
		{o.Whole == Unknown && sound, &n.Unproven},
	} {
		if part.is {
			*part.n++
		}
	}
	switch {
	case sound:
		return
	case o.State == Unreadable && o.Whole != InArchive && o.Whole != InCopy:
		r.Verdict = outcome.Worst(r.Verdict, outcome.Unreadable)
	case o.By == "verification" && o.Archive.Verdict != outcome.Rejected && o.State == Same:
		r.Verdict = outcome.Worst(r.Verdict, outcome.Inconclusive)
	default:
		r.Verdict = outcome.Rejected
	}
	if len(r.Objects) == mostObjects {
		r.More++
		return
	}
	o.Commands = []string{}
	for _, words := range o.Words {
		o.Commands = append(o.Commands, strings.Join(safetext.ShellWords(words), " "))
	}
	r.Objects = append(r.Objects, *o)
}

// finishVerdict names the omissions, and decides.
func (r *Result) finishVerdict(c *comparison) {
	n, say := &r.Counts, (*object.Sentences)(&r.NotExamined).Say
	say(r.Ledger == ledger.Changed, "The ledger was altered, so that its records do not count.")
	say(r.Ledger == ledger.Foreign, "The ledger is under another user's key, so that its records do not count.")
	say(r.Ledger == "none", "There is no ledger: which object is whole was decided by verification alone.")
	say(c.ignored != nil, "%s", c.ignored.PassedOver())
	say(n.Unproven > 0, "The same in both, and nothing shows whether they are whole: %s.",
		safetext.Count(n.Unproven, "object"))
	if r.Ledger == ledger.Changed {
		r.Verdict = outcome.Rejected
	}
	if r.Ledger == ledger.Foreign || n.Objects == n.Unproven {
		r.Verdict = outcome.Worst(r.Verdict, outcome.Inconclusive)
	}
}

// Reason returns a sentence about copies that are not the same and whole.
func (r *Result) Reason() string {
	if r.Verdict == outcome.Verified {
		return ""
	}
	n, count := &r.Counts, answer.CountOf
	wrong := answer.JoinCounts(count(n.InArchive, "whole in the archive alone"),
		count(n.InCopy, "whole in the copy alone"), count(n.InNeither, "whole in neither"),
		count(n.BothWhole, "different and verified in both"),
		count(n.Unknown, "different, and nothing shows which is whole"), count(n.Unread, "unreadable"))
	if wrong == "" {
		return "nothing shows that the objects are whole"
	}
	return "of " + safetext.Count(n.Objects, "object") + ", " + wrong
}

// copyCommands returns the commands that copy an object from the folder that has it whole to the other one. There are
// none if a link in the other folder would lead them elsewhere.
func (c *comparison) copyCommands(path, whole string, both *[2]found) (all [][]string) {
	from, to, other := c.Archive, c.Copy, &both[1]
	if whole == InCopy {
		from, to, other = to, from, &both[0]
	}
	target := filepath.Join(to, filepath.FromSlash(path))
	for dir := filepath.Dir(filepath.FromSlash(path)); dir != "."; dir = filepath.Dir(dir) {
		info, err := os.Lstat(filepath.Join(to, dir))
		if err == nil && !info.IsDir() {
			return nil
		}
		if err != nil && len(all) == 0 {
			all = append(all, []string{"mkdir", "-p", "--", filepath.Dir(target)})
		}
	}
	if other.there { // a link or a pipe would be written to
		all = append(all, []string{"rm", "-f", "--", target})
	}
	return append(all, []string{"cp", "-p", "--", filepath.Join(from, filepath.FromSlash(path)), target})
}
