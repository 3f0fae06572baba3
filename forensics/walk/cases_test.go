package walk_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// The logs of the history, and the world that has it.
var berlin, oslo, tenantLog = walktest.Berlin, walktest.Oslo, walktest.TenantLog

type world = walktest.World

// plain is the history that the cases damage. Berlin has 33 events and is
// anchored at 20 and 30, Oslo 25 with a key rotated after 21, anchored at 12;
// the tenant log 24, anchored at 10 and 24. Reports are its events 11, 12
// and 21.
func plain(t testing.TB) *world {
	w := walktest.NewWorld(7)
	w.Fill(tenantLog, 10)
	w.Checkpoint()
	w.Fill(berlin, 20)
	w.Report(berlin)
	w.Fill(oslo, 12)
	w.Report(oslo)
	w.Fill(tenantLog, 8)
	w.Fill(berlin, 10)
	w.Cursor(berlin)
	w.Report(berlin)
	w.Fill(tenantLog, 3)
	w.Checkpoint()
	w.Fill(berlin, 3)
	w.Fill(oslo, 13)
	return w
}

const (
	inBerlin = "node/berlin "
	inTenant = "tenant/acme-corp "
)

// A testCase is one damage and exactly its findings, from testdata/cases.txtar.
type testCase struct {
	name         string
	damage, want []string
}

func readCases(t *testing.T) (all []testCase) {
	t.Helper()
	for _, f := range must.Get(txtar.ParseFile(filepath.Join("testdata", "cases.txtar")))(t).Files {
		c := testCase{name: f.Name}
		for line := range strings.Lines(string(f.Data)) {
			if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "> ") {
				c.want = append(c.want, line[len("> "):])
			} else {
				c.damage = append(c.damage, line)
			}
		}
		all = append(all, c)
	}
	return all
}

// step is a line of a damage without its first word, and the log if that is the second.
type step struct {
	*world
	log  facts.Log
	args []string
}

var logs = map[string]facts.Log{"berlin": berlin, "oslo": oslo, "tenant": tenantLog}

// damageWorld does a damage to a history.
func damageWorld(w *world, lines []string) {
	for _, line := range lines {
		words := strings.Fields(line)
		s := step{world: w, args: words[1:]}
		if len(s.args) > 0 && logs[s.args[0]].LogID != "" {
			s.log, s.args = logs[s.args[0]], s.args[1:]
		}
		steps[words[0]](s)
	}
}

func (s step) number(i int) int { return must.Have(strconv.Atoi(s.args[i])) }

// join appends copies to the log.
func (s step) join(copies ...walktest.Copy) { s.Copies[s.log] = append(s.Copies[s.log], copies...) }

// doc is the document that the first argument names, from the end if it is negative.
func (s step) doc() *seal.Object {
	return &s.Docs[(s.number(0)+len(s.Docs))%len(s.Docs)]
}

// head is the hash at a sequence of a log, unless an argument names a copy, or another hash.
func (s step) head(l facts.Log, sequence, at int) seal.Hash {
	switch {
	case at >= len(s.args):
		return s.Spines[l].Hash(uint64(sequence))
	case s.args[at] == "other":
		return seal.Hash{1}
	}
	return must.Have(seal.ParseHash(seal.Text(s.Copies[l][s.number(at)].Object, "hash")))
}

// changed returns the change of an event that the arguments from the i-th on are, one after the other.
func (s step) changed(i int) func(seal.Object) {
	return func(o seal.Object) {
		for k := i; k < len(s.args); k++ {
			name, value, _ := strings.Cut(s.args[k], ":")
			switch name {
			case "resign":
				forge.Resign(s.Keys[value], s.changed(k+1))(o)
				return
			case "rehash":
				forge.Rehash(s.changed(k + 1))(o)
				return
			case "salt":
				forge.AlterSalt(o)
			case "signature":
				forge.AlterSignature(o)
			case "spoil":
				forge.Spoil(o)
			case "hash":
				forge.AlterHash(value)(o)
			case "key":
				forge.RenameKey(value)(o)
			case "log":
				forge.SetBody("log_id", "node/"+value)(o)
			case "shift":
				forge.Shift(must.Have(time.ParseDuration(value)))(o)
			case "resequence":
				forge.Resequence(must.Have(strconv.ParseInt(value, 10, 64)))(o)
			default:
				panic(s.args[k])
			}
		}
	}
}

// steps execute lines, by their first word. Events count from 0, as in a slice.
var steps = map[string]func(s step){
	"alter":   func(s step) { s.Alter(s.log, s.number(0), s.changed(1)) },
	"copy":    func(s step) { s.AddAltered(s.log, s.number(0), s.changed(1)) },
	"remove":  func(s step) { s.Remove(s.log, s.number(0), s.number(1)) },
	"rewrite": func(s step) { s.join(s.Rewrite(s.log, s.number(0), s.number(1), s.changed(2))...) },
	"forge":   func(s step) { s.join(s.Forge(s.log, s.number(1), s.Keys[s.args[0]])[s.number(2):]...) },
	"lossy":   func(s step) { s.Copies[s.log][s.number(0)].Lossy = true },
	"splice":  func(s step) { s.join(s.Copies[logs[s.args[0]]][s.number(1)]) },
	"replace": func(s step) { s.Copies[s.log][s.number(1)] = s.Copies[logs[s.args[0]]][s.number(1)] },
	"double":  func(s step) { s.join(s.Copies[s.log]...) },
	"reverse": func(s step) { slices.Reverse(s.Copies[s.log]) },
	"delete":  func(s step) { delete(s.Copies, s.log) },
	"nothing": func(s step) { s.Evidence = walktest.Evidence{} },
	"pass":    func(s step) { s.Steps += s.number(0) },
	"unread": func(s step) {
		s.Unread = map[facts.Log][]finding.Evidence{s.log: {{Source: "x", Length: int64(s.number(0))}}}
	},
	"back": func(s step) { // an event that is dated before the last one
		e := s.Entry("policy.synced", seal.Object{})
		last := s.Copies[s.log][len(s.Copies[s.log])-1].Object
		e.OccurredAt = forge.OccurredAt(last).Add(-time.Duration(s.number(0)) * time.Second)
		s.join(walktest.Copy{Object: s.Spines[s.log].Append(e, s.Key(s.log))})
	},
	"foreign": func(s step) { // a log of three events
		s.log = facts.Log{TenantID: walktest.Tenant, LogID: s.args[0]}
		spine := seal.NewLog(walktest.Tenant, s.args[0])
		for range 3 {
			s.join(walktest.Copy{Object: spine.Append(s.Entry("x", seal.Object{}), s.Keys["audit-1"])})
		}
	},
	"report": func(s step) {
		data := walktest.ReportOf(s.Copies[berlin][s.number(0)].Object, "berlin")
		s.changed(1)(data)
		s.Append(tenantLog, "node.reported", data)
	},
	"document":  func(s step) { s.Docs = append(s.Docs, seal.Object{"x": "y"}) },
	"documents": func(s step) { s.Docs = s.Docs[:s.number(0)] },
	"checkpoint": func(s step) {
		n := s.number(0)
		s.Docs = append(s.Docs, s.CheckpointOf(uint64(n), s.head(tenantLog, n, 2), s.Keys[s.args[1]]))
	},
	"cursor": func(s step) {
		n := s.number(0)
		s.Docs = append(s.Docs, s.CursorOf(berlin, uint64(n), s.head(berlin, n, 2), s.Keys[s.args[1]]))
	},
	"set": func(s step) { // a member of the statement of a document, or removes it
		*s.doc() = seal.CloneObject(*s.doc())
		statement, member := seal.Member(*s.doc(), "statement"), s.args[1]
		if delete(statement, member); len(s.args) > 2 {
			statement[member] = s.args[2]
			if n, err := strconv.ParseInt(s.args[2], 10, 64); err == nil {
				statement[member] = n
			}
		}
	},
	"seal": func(s step) {
		last := &s.Docs[len(s.Docs)-1]
		*last = seal.Seal(seal.Member(*last, "statement"), s.Keys[s.args[0]])
	},
}

// far is where no honest log comes to.
const far = 1_000_000_000_000_000

// TestCases does each damage. The golden file has all values of the result and the facts that
// are others than without it.
func TestCases(t *testing.T) {
	_, usual := walkedLines(t, plain(t), 1000)
	var now []string
	for i, tt := range readCases(t) {
		splits := []int{1, 5, 1000}
		if testing.Short() {
			splits = splits[i%3:][:1]
		}
		w := plain(t)
		damageWorld(w, tt.damage)
		now = append(now, "# "+tt.name)
		var changed []string
		for n, split := range splits {
			r, lines := walkedLines(t, w, split)
			d := cmp.Diff(tt.want, walktest.Said(r.Findings))
			must.That(t, d == "", "%s: sections of %d (-want +got):\n%s", tt.name, split, d)
			want := walktest.VerdictOf(r.Findings)
			check.That(t, r.Verdict == want, "%s: verdict %s, want %s", tt.name, r.Verdict, want)
			lines = slices.DeleteFunc(lines, func(l string) bool { return slices.Contains(usual, l) })
			check.That(t, n == 0 || slices.Equal(changed, lines), "%s: sections of %d: %q", tt.name, split, lines)
			changed = lines
		}
		now = append(now, changed...)
	}
	compareGolden(t, "cases.golden", strings.Join(now, "\n")+"\n")
}

// TestEveryCodeHasACase: every code that this package mentions is found in a
// case, or in the test that is named here.
func TestEveryCodeHasACase(t *testing.T) {
	elsewhere := map[string]string{
		"checkpoint.under-quorum":  "TestScenes",
		"walk.limit-reached":       "TestDeadline",
		"journal.tail-unanchored":  "TestUnanchoredTail",
		"chain.gap-between-copies": "TestGapBetweenCopies",
		"journal.tail-truncated":   "TestCutAfterItWasCollected",
	}
	var found []string
	for _, tt := range readCases(t) {
		for _, w := range tt.want {
			found = append(found, strings.Fields(w)[len(strings.Fields(w))-2])
		}
	}
	values := map[string]string{}
	for _, name := range must.Get(filepath.Glob(filepath.Join("..", "..", "finding", "*.go")))(t) {
		for _, m := range regexp.MustCompile(`(\w+)\s+Code = "([^"]+)"`).FindAllStringSubmatch(read(t, name), -1) {
			values[m[1]] = m[2]
		}
	}
	must.That(t, len(values) != 0, "no code is declared")
	for _, name := range must.Get(filepath.Glob("*.go"))(t) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(`finding\.([A-Z]\w+)`).FindAllStringSubmatch(read(t, name), -1) {
			code := values[m[1]]
			check.That(t, code == "" || elsewhere[code] != "" || slices.Contains(found, code),
				"%s finds %s, and no case does", name, code)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b := must.Get(os.ReadFile(name))(t)
	return string(b)
}
