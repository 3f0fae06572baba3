package producers

import (
	"cmp"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// keeps is how much a program keeps of the lines that it is given.
type keeps int

const (
	octets keeps = iota // every byte, behind whatever escapes
	values              // the values of the JSON, in another spelling or order
	less                // some events not whole; loses states which
	broken              // lines that are broken over others, or respelled by rules of its own
	sealed              // all of it, in a form that is only named; loses states how to read it
)

// cut is how a file is cut for the third variant of a row.
type cut int

const (
	atEvent cut = iota // within an event, whose signature is there in the clear
	inside             // after three fifths of the file: no event may be whole
	never              // the form is no single file, or no evidence after a cut
)

// form is one form in which one program hands out a journal.
type form struct {
	name  string
	run   string // a script: reads the file $IN, writes below $OUT
	keeps keeps
	lost  int    // how many events are not whole
	loses string // the loss, or the way to read it, in one sentence
	cut   cut
}

// formFiles are forms whose scripts need nothing from here, a file for each group.
//
//go:embed forms/*.txt
var formFiles embed.FS

// formsOf reads the forms of a group. "== NAME" begins one. Lines such as "# keeps: values" describe it,
// and its other lines are its script, in which a line "@PART" is the script of "== part PART". Several
// names begin a form each, whose script has its own name for @NAME.
func formsOf(group string) (forms []form) {
	parts := map[string]string{}
	for i, text := range strings.Split(string(must.Have(formFiles.ReadFile("forms/"+group+".txt"))), "\n== ") {
		name, script, _ := strings.Cut(text, "\n")
		if part, ok := strings.CutPrefix(name, "part "); ok {
			parts["@"+part] = expandParts(script, parts)
			continue
		}
		for _, name := range strings.Fields(name) {
			if f := (form{name: name}); i > 0 {
				for line := range strings.Lines(strings.ReplaceAll(script, "@NAME", name)) {
					f.addLine(line)
				}
				f.run = expandParts(f.run, parts)
				forms = append(forms, f)
			}
		}
	}
	return forms
}

// expandParts puts the script of each part in the place of its name.
func expandParts(script string, parts map[string]string) string {
	var all strings.Builder
	for line := range strings.Lines(script) {
		all.WriteString(cmp.Or(parts[strings.TrimSpace(line)], line))
	}
	return all.String()
}

func (f *form) addLine(line string) {
	describes, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
	switch describes {
	case "# keeps":
		f.keeps = keeps(1 + slices.Index([]string{"values", "less", "broken", "sealed"}, value))
	case "# lost":
		f.lost = must.Have(strconv.Atoi(value))
	case "# loses":
		f.loses = value
	case "# cut":
		f.cut = cut(1 + slices.Index([]string{"inside", "never"}, value))
	default:
		f.run += line
	}
}

// group is the forms of programs that need the same to run.
type group struct {
	name     string
	programs []string // commands that print versions, such as "jq --version"
	start    func(*testing.T, *bench) (environment []string)
	forms    []form
}

// TestProducers runs every program, and judges svc-verify's reading of its files.
func TestProducers(t *testing.T) {
	b := newBench(t)
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			g.forms = formsOf(g.name)
			if !g.present(t) {
				return
			}
			var environment []string
			if g.start != nil {
				environment = g.start(t, b)
			}
			for _, f := range g.forms {
				t.Run(f.name, func(t *testing.T) {
					t.Parallel()
					b.try(t, g.name+"/"+f.name, f, environment)
				})
			}
		})
	}
}

// present reports whether the programs of a group are there, and notes their
// versions. Where one is missing, the test fails in CI and skips elsewhere.
func (g group) present(t *testing.T) bool {
	for _, command := range g.programs {
		out, err := exec.Command("bash", "-c", "{ "+command+"; } 2>&1").Output() // #nosec G204
		version, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		switch {
		case err == nil:
			note(g, version)
		case os.Getenv("CI") != "":
			t.Fatalf("%s: %v: make producers installs it\n%s", command, err, out)
		default:
			t.Skipf("%s: %v: make producers installs it", command, err)
		}
	}
	return true
}

// ran lists the programs that ran: the lines of the table at the end.
var ran struct {
	sync.Mutex
	lines []string
}

func note(g group, version string) {
	ran.Lock()
	defer ran.Unlock()
	ran.lines = append(ran.lines, fmt.Sprintf("%-12s %3d forms  %s", g.name, len(g.forms), version))
}

// TestMain prints at the end the programs that ran, with their versions.
func TestMain(m *testing.M) {
	code := m.Run()
	fmt.Printf("what ran; %d forms are known not to be read as they should be:\n", len(faults))
	for _, line := range ran.lines {
		fmt.Println(" ", line)
	}
	os.Exit(code)
}
