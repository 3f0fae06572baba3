package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// stale is the entry that an outdated trust file lacks: a member of one of its sections.
type stale struct{ section, id, name string }

// staleTrust are one key of each role and one registry.
var staleTrust = []stale{
	{"audit_keys", "audit-2026-2", "audit-2026-2"},
	{"nodes", "mesh-oslo-1", "mesh-oslo-1"},
	{"nodes", "mesh-oslo-1/2", "mesh-oslo-1/2"},
	{"protected_signer_keys", "signer-2026-2", "signer-2026-2"},
	{"registries", "2", "registry generation 2"},
}

// without writes the trust file of the evidence without some of its members.
func (f ends) without(lacks ...stale) string {
	f.t.Helper()
	doc := must.Get(os.ReadFile(f.path("trust.json")))(f.t)
	var trust map[string]any
	must.Do(f.t, json.Unmarshal(doc, &trust))
	for _, l := range lacks {
		delete(trust[l.section].(map[string]any), l.id)
	}
	return f.writeJSON("stale.json", trust)
}

func (f ends) writeJSON(name string, v any) string {
	f.t.Helper()
	doc, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(f.path(name), doc, 0o600)
	}
	must.Do(f.t, err)
	return f.path(name)
}

// notice is a command's initial report of unknown keys.
type notice struct {
	UnknownKeys *struct {
		Code string
		Keys []struct {
			Name    string
			RestsOn []struct {
				What  string
				N, Of int
			} `json:"rests_on_it"`
		}
		MayBeGood bool `json:"may_be_good"`
		Sentence  string
	} `json:"unknown_keys"`
}

// names are the unknown keys.
func (n notice) names() []string {
	var all []string
	if n.UnknownKeys != nil {
		for _, k := range n.UnknownKeys.Keys {
			all = append(all, k.Name)
		}
	}
	return all
}

// logsBeside is the evidence in addition to bundles.
var logsBeside = []string{"tenant.ndjson", "journals", "checkpoints.ndjson", "cursors"}

// judged are the commands that judge bundles, with the exit code of each for good ones under a
// stale trust file. Those with a case come after an ingest.
func (f ends) judged(trust, bundle string) map[string]func() (int, string) {
	paths, db := append(f.paths(logsBeside), f.path("bundles")), f.path("case.db")
	ask := func(args ...string) func() (int, string) {
		return func() (int, string) { return f.run(append(args, "--trust", trust)...) }
	}
	all := map[string]func() (int, string){
		"1 proof":      ask("--evidence", bundle),
		"1 report":     ask("--evidence", bundle, "--output", "report"),
		"1 verify":     ask("verify", "--status", "any", "--output", "json", "--quiet", f.path("bundles")),
		"3 bundles":    ask("check", "--output", "json", "--quiet", f.path("bundles")),
		"3 check":      ask(slices.Concat([]string{"check", "--output", "json", "--quiet"}, paths)...),
		"3 walk":       ask("walk", db, "--output", "json", "--quiet"),
		"3 crosscheck": ask("show", "crosscheck", db, "--output", "json", "--quiet"),
		"- status":     ask("certificates", "--all", db, "--output", "json", "--quiet"),
	}
	all["0 report of the walk"] = func() (int, string) {
		all["3 walk"]()
		return f.run("report", db, "--trust", trust, "--output", "json", "--quiet")
	}
	all["3 conclude"] = func() (int, string) {
		aside := f.t.TempDir()
		plan, part := filepath.Join(aside, "plan.json"), filepath.Join(aside, "0.part")
		f.run(slices.Concat([]string{"plan", "--parts", "1", "--out", plan, "--quiet"}, paths)...)
		f.run("part", "--plan", plan, "--index", "0", "--trust", trust, "--out", part, "--quiet")
		return f.run("conclude", "--plan", plan, "--trust", trust, "--output", "json", "--quiet", part)
	}
	return all
}

// bundleNaming returns the path of the first bundle that names a key or registry.
func (f ends) bundleNaming(l stale) string {
	f.t.Helper()
	paths := must.Get(filepath.Glob(f.path("bundles/*.json")))(f.t)
	for _, p := range paths {
		doc := must.Get(os.ReadFile(p))(f.t)
		if bytes.Contains(doc, []byte(`"key_id":"`+l.id+`"`)) || l.section == "registries" &&
			bytes.Contains(doc, []byte(`"registry_generation":`+l.id)) {
			return p
		}
	}
	f.t.Fatalf("no bundle names %s", l.name)
	return ""
}

// ingested makes the case.
func (f ends) ingested() {
	f.run(slices.Concat([]string{"ingest", f.path("case.db"), "--quiet"}, f.paths(logsBeside),
		[]string{f.path("bundles")})...)
}

// TestStaleTrust: under a trust file that lacks a key or a registry a proof by itself is
// refused, and evidence in a case is open. Every command names the unknown one, in one
// sentence under one code. Under the whole trust file no command names one.
func TestStaleTrust(t *testing.T) {
	f := newEnds(t)
	f.ingested()
	for _, lacks := range append([]stale{{}}, staleTrust...) {
		trust, bundle := f.path("trust.json"), f.path("bundles/svc-evidence-tx-2026-0001.json")
		var want []string
		if lacks.id != "" {
			trust, bundle, want = f.without(lacks), f.bundleNaming(lacks), []string{lacks.name}
		}
		commands := f.judged(trust, bundle)
		for _, name := range slices.Sorted(maps.Keys(commands)) {
			code, out := commands[name]()
			var said notice
			err := json.Unmarshal([]byte(out), &said)
			must.That(t, err == nil, "%s without %q: %v: %s", name, lacks.name, err, out)
			asBefore := name[:1] == "-" || lacks.id == "" // status answers from logs alone
			check.That(t, (!asBefore || code != 1) && (asBefore || fmt.Sprint(code) == name[:1]),
				"%s without %q: exit code %d", name, lacks.name, code)
			check.That(t, slices.Equal(said.names(), want), "%s without %q: unknown are %q", name, lacks.name, said.names())
			if u := said.UnknownKeys; u != nil && (u.Code != "keys.unknown" || !u.MayBeGood ||
				strings.Count(out, "may be good: the trust file may be out of date") != 1) {
				t.Errorf("%s without %q: %+v", name, lacks.name, u)
			}
		}
	}
}

// TestStaleTrustInEveryForm: every form for people and machines names the unknown keys, once.
func TestStaleTrustInEveryForm(t *testing.T) {
	f := newEnds(t)
	f.ingested()
	trust := f.without(staleTrust[0], staleTrust[4])
	const keys, proofs = "audit-2026-2 (", "registry generation 2 ("
	forms := map[string][]string{}
	for _, command := range []string{"verify", "check"} {
		for _, form := range []string{"junit", "sarif", "markdown", "html", "github-summary"} {
			forms[command+" "+form] = []string{command, "--report", form + "=" + f.path("out")}
		}
	}
	for name, args := range forms {
		f.run(append(args, "--quiet", "--trust", trust, f.path("bundles"))...)
		doc := must.Get(os.ReadFile(f.path("out")))(t)
		os.Remove(f.path("out"))
		for _, want := range []string{"keys.unknown", keys, proofs, "may be good"} {
			check.That(t, strings.Contains(shownText(string(doc)), want), "%s lacks %q", name, want)
		}
		if strings.Contains(string(doc), `"uri":"`) != strings.HasSuffix(name, "sarif") ||
			strings.Contains(string(doc), filepath.Base(trust)+`"},"region"`) {
			t.Errorf("%s points at the trust file, or at nothing", name)
		}
	}
	f.run("walk", f.path("case.db"), "--trust", trust, "--quiet")
	for name, args := range map[string][]string{
		"proof":      {"--evidence", f.bundleNaming(staleTrust[0]), "--trust", trust, "--output", "text"},
		"verify":     {"verify", "--trust", trust, "--quiet", f.path("bundles")},
		"check":      {"check", "--trust", trust, "--quiet", f.path("bundles")},
		"walk":       {"walk", f.path("case.db"), "--trust", trust, "--quiet"},
		"crosscheck": {"show", "crosscheck", f.path("case.db"), "--trust", trust, "--quiet"},
		"status":     {"certificates", "--all", f.path("case.db"), "--trust", trust, "--quiet"},
		"findings":   {"show", "findings", f.path("case.db"), "--quiet"},
		"report":     {"report", f.path("case.db"), "--quiet"},
		"html":       {"report", f.path("case.db"), "--output", "html", "--quiet"},
	} {
		_, out := f.run(args...)
		plain := shownText(out)
		n := strings.Count(plain, "unknown key ids: "+keys)
		check.That(t, n == 1, "%s says it %d times: %.600s", name, n, plain)
		at := strings.Index(plain, "unknown key ids: ")
		check.That(t, name == "html" || at <= 400, "%s says it at %d, and not first", name, at)
	}
}

var htmlTag = regexp.MustCompile("<[^>]*>")

// shownText returns the visible part of text or HTML, on one line.
func shownText(doc string) string {
	return strings.Join(strings.Fields(htmlTag.ReplaceAllString(doc, "")), " ")
}

// TestUnknownKeyAndDefect: other defects still count: a bundle that names an unknown key is
// rejected in a case, too, if a signature fails, a statement was changed, or the key could
// never be pinned for its statement.
func TestUnknownKeyAndDefect(t *testing.T) {
	lacks := staleTrust[0]
	for name, alter := range sampled(map[string]func(bundle map[string]any){
		"a signature that fails": func(b map[string]any) {
			approval := b["approvals"].([]any)[0].(map[string]any)
			other := b["approvals"].([]any)[1].(map[string]any)
			approval["signature"] = other["signature"]
		},
		"a statement that was changed": func(b map[string]any) {
			b["approvals"].([]any)[0].(map[string]any)["statement"].(map[string]any)["decision"] = "deny"
		},
		"a key that is pinned for another role": func(b map[string]any) {
			b["status"].(map[string]any)["key_id"] = "signer-2026-1"
		},
		"an unknown key of another node": func(b map[string]any) {
			b["approvals"].([]any)[0].(map[string]any)["key_id"] = "mesh-nowhere-1"
		},
	}, 2) {
		f := newEnds(t)
		trust, path := f.without(lacks), f.bundleNaming(lacks)
		doc := must.Get(os.ReadFile(path))(t)
		var bundle map[string]any
		must.Do(t, json.Unmarshal(doc, &bundle))
		alter(bundle)
		f.writeJSON(filepath.Join("bundles", filepath.Base(path)), bundle)
		f.ingested()
		commands := f.judged(trust, path)
		for _, command := range []string{"1 proof", "1 verify", "3 bundles", "3 check", "3 walk", "3 conclude"} {
			code, out := commands[command]()
			check.That(t, code == 1 && (command != "1 proof" || strings.Contains(out, "other defects")),
				"%s: %s: exit code %d: %.300s", name, command, code, out)
		}
		_, out := f.run("check", "--output", "json", "--quiet", "--trust", trust, f.path("bundles"))
		check.That(t, strings.Contains(out, `"bundle.rejected"`) && strings.Contains(out, "except 1 with other defects"),
			"%s: %.600s", name, out)
	}
}

// TestForgedUnderUnknownKey: a stranger who names a key that no one knows is never
// believed: the evidence is open, and nothing of it counts.
func TestForgedUnderUnknownKey(t *testing.T) {
	f := newEnds(t)
	path := f.path("bundles/svc-evidence-tx-2026-0001.json")
	doc := must.Get(os.ReadFile(path))(t)
	forged := bytes.ReplaceAll(doc, []byte(`"key_id":"audit-2026-1"`), []byte(`"key_id":"audit-2031-1"`))
	forged = bytes.ReplaceAll(forged, []byte(`"key_id":"audit-2026-2"`), []byte(`"key_id":"audit-2031-1"`))
	must.Do(t, os.WriteFile(path, forged, 0o600))
	code, out := f.run("check", "--output", "json", "--quiet", "--trust", f.path("trust.json"), path)
	var said struct {
		notice
		Proofs []any
	}
	must.Do(t, json.Unmarshal([]byte(out), &said))
	check.That(t, code == 3 && len(said.Proofs) == 0 && slices.Equal(said.names(), []string{"audit-2031-1"}),
		"exit code %d, %d proofs, unknown are %q", code, len(said.Proofs), said.names())
	if code, _ := f.run("--evidence", path, "--trust", f.path("trust.json")); code != 1 {
		t.Errorf("by itself: exit code %d", code)
	}
}
