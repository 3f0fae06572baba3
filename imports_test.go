// Package house_test contains the rules for imports between folders, over the main module and
// the service.
package house_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

const module = "github.com/svc-edge/svc-verify/"

// room is a folder with the packages of the project that its packages may import, tests aside.
// The row with the longest folder counts. An entry allows a folder and all below.
type room struct {
	folder  string
	imports []string
}

// house is every folder, from the top to the bottom: imports run one way.
var house = []room{
	{"cmd/svc-verify", []string{"cmd/svc-verify", "archive", "forensics", "batch", "contradiction", "outcome", "answer",
		"fixtures", "schemas", "verify", "bundle", "trust", "chain", "finding", "internal"}},
	{"archive", []string{"archive", "forensics", "batch", "contradiction", "outcome", "answer", "verify", "bundle",
		"trust", "chain", "finding", "internal"}},
	{"batch", []string{"batch", "forensics/read", "contradiction", "outcome", "answer", "verify", "bundle", "trust",
		"finding", "internal"}},
	{"batch/entry", []string{"forensics/read", "outcome", "internal"}},
	{"scripts/heavy", nil},     // runs tests
	{"scripts/reached", nil},   // lists packages
	{"scripts/release", nil},   // builds the program
	{"scripts/typecheck", nil}, // reads sources
	{"bench", nil},             // only tests
	{"forensics", []string{"forensics", "batch", "contradiction", "outcome", "answer", "verify", "bundle", "trust",
		"chain", "finding", "internal"}},
	{"forensics/walk/walktest", []string{"forensics", "harness", "verify", "trust", "chain",
		"finding"}}, // for tests alone
	{"forensics/cases", []string{"forensics", "finding", "harness", "trust", "internal/must"}}, // for tests alone
	{"fixtures", []string{"answer", "verify", "bundle", "trust", "internal"}},
	{"fixtures/gen", []string{"fixtures", "harness"}},
	{"fixtures/kit", []string{"fixtures", "answer", "verify", "bundle", "finding", "internal"}},
	{"contradiction", []string{"contradiction", "verify", "bundle", "trust", "chain", "finding", "internal"}},
	{"verify", []string{"verify", "bundle", "trust", "chain", "finding", "internal"}},
	{"verify/text", []string{"answer", "verify", "bundle", "trust", "finding", "internal"}},
	{"bundle", []string{"bundle", "trust", "chain", "finding", "internal"}},
	{"trust", []string{"finding", "internal"}},
	{"trust/trustfile", []string{"finding", "trust", "internal"}}, // makes one; nothing below judges by it
	{"trust/change", []string{"trust", "internal"}},               // compares two
	{"chain", []string{"chain", "internal"}},
	{"outcome", []string{"outcome", "answer", "finding", "internal"}},
	{"answer", []string{"finding", "internal"}},
	{"finding", []string{"internal"}},
	{"schemas", []string{"answer", "internal"}},
	{"internal", []string{"internal"}},

	// The producer shares nothing with the verifier, but: a node replays links
	// as everyone does, and dumps are named after the formats that are read.
	{"harness", []string{"harness"}},
	{"harness/node", []string{"harness", "chain"}},
	{"harness/dumps", []string{"harness/seal", "finding", "forensics/read", "internal/ijson"}},

	{"service", []string{"service", "harness"}},
	{"service/cmd", []string{"service", "harness", "fixtures", "internal"}},
	{"service/edge", []string{"service/topic", "trust", "internal"}}, // a client: it judges a node's statements
	{"service/edge/edgetest", []string{"harness/seal", "internal/must", "internal/testca"}},
	{"service/nodeconfig", []string{"service/nodeconfig", "internal"}}, // no evidence
	{"service/httpd", []string{"harness/seal", "internal/netbound"}},
	{"service/kv/kvtest", []string{"service/kv", "internal/must", "internal/testca"}},
}

// unlinked are packages that a folder's packages must not link, directly or through others.
var unlinked = []room{
	{"verify", slices.Concat(outside, service, []string{module + "forensics"})},
	{"bundle", slices.Concat(outside, service, []string{module + "forensics"})},
	{"chain", slices.Concat(outside, service, []string{module + "forensics"})},
	{"contradiction", slices.Concat(outside, service, []string{module + "forensics"})},
	{"cmd", slices.Concat(encoders[:1], service, checks)},
	{"service/cmd", checks},
	{"forensics/examine", append([]string{"github.com/santhosh-tekuri/jsonschema/v5"}, service...)},
	{"harness", []string{module + "verify", module + "bundle", module + "forensics/walk", module + "forensics/store"}},
	{"harness/cloud", encoders[1:]},
	{"harness/node", encoders[1:]},
	{"harness/signer", encoders[1:]},
	{"harness/seal", encoders[1:]},
	{"service/deployment", []string{module + "verify", module + "bundle", module + "forensics"}},
}

var (
	// outside lists packages that a verdict must not be able to depend on.
	outside = []string{"net", "net/http", "crypto/tls", "os/exec", "github.com/santhosh-tekuri/jsonschema/v5"}

	// service lists the packages that make evidence.
	service = []string{module + "harness", module + "service"}

	// checks are for tests alone.
	checks = []string{"testing", module + "internal/check", module + "internal/must"}

	// encoders bring objects to canonical form: the first for the producer, the second for the verifier.
	encoders = []string{"github.com/gowebpki/jcs", "github.com/go-json-experiment/json/jsontext"}
)

// TestImports compares the table with the actual imports.
func TestImports(t *testing.T) {
	imports := list(t)
	used := map[string]bool{}
	for name, all := range imports {
		own, inside := strings.CutPrefix(name, module)
		if !inside {
			continue
		}
		r := roomOf(own)
		if r.folder == "" {
			t.Errorf("%s is in no room", own)
			continue
		}
		used[r.folder] = true
		for _, i := range all {
			if i, inside := strings.CutPrefix(i, module); inside &&
				!slices.ContainsFunc(r.imports, func(f string) bool { return within(i, f) }) {
				t.Errorf("%s imports %s, which %s may not", own, i, r.folder)
			}
		}
	}
	for _, r := range house {
		check.That(t, used[r.folder] || r.imports == nil, "there is no %s", r.folder)
	}
}

// TestLinks: no folder links a forbidden package, directly or through others.
func TestLinks(t *testing.T) {
	imports := list(t)
	for _, r := range unlinked {
		seen := map[string]bool{}
		var follow func(name string, way []string)
		follow = func(name string, way []string) {
			if seen[name] {
				return
			}
			seen[name] = true
			for _, no := range r.imports {
				check.That(t, name != no && (!strings.HasPrefix(no, module) || !within(name, no) || within(name, module+r.folder)),
					"%s links %s: %s", r.folder, name, strings.Join(way, " > "))
			}
			for _, i := range imports[name] {
				follow(i, append(slices.Clip(way), i))
			}
		}
		for name := range imports {
			if within(name, module+r.folder) {
				follow(name, []string{name})
			}
		}
		check.That(t, len(seen) != 0, "there is no %s", r.folder)
	}
}

// roomOf returns the row that counts for a package.
func roomOf(name string) room {
	var best room
	for _, r := range house {
		if within(name, r.folder) && len(r.folder) > len(best.folder) {
			best = r
		}
	}
	return best
}

// within reports whether a package is a folder's, or of one below.
func within(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}

// list returns the imports of each package of both modules and of all that they need, tests
// aside.
func list(t *testing.T) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	for _, dir := range []string{".", "service"} {
		c := exec.Command("go", "list", "-deps", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...")
		c.Dir = filepath.FromSlash(dir)
		out := must.Get(c.Output())(t)
		for line := range strings.Lines(string(out)) {
			f := strings.Fields(line)
			imports[f[0]] = f[1:]
		}
	}
	return imports
}
