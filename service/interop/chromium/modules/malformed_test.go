package modules

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// malformedScript runs the page's modules on answers as they came, and prints their messages.
const malformedScript = `
import { verify, placeOf } from "./page/verify.js";
import { answers, words } from "./page/shape.js";
const input = JSON.parse(await new Response(process.stdin).text());
const output = { labels: [], shapes: [] };
for (const text of input.windows ?? []) {
  const answer = JSON.parse(text);
  const { label, faults } = await verify(answer?.events, answer?.head);
  output.labels.push([label, ...faults.map((f) => placeOf(f) + ": " + f.detail)].join("\n"));
}
for (const [name, text] of input.answers ?? []) {
  let said = "";
  try { answers[name](JSON.parse(text), name); } catch (error) { said = words(error); }
  output.shapes.push(said);
}
console.log(JSON.stringify(output));
`

// ofJavaScript are words that no reader of the page should meet.
var ofJavaScript = regexp.MustCompile(
	`TypeError|RangeError|SyntaxError|BigInt|undefined|null|NaN|Infinity|\[object|Cannot |is not (a function|iterable)|call stack`)

// looked is the output of the page's modules for answers.
type looked struct{ Labels, Shapes []string }

// look runs the page's modules on windows of events, and on other answers, by name.
func look(t *testing.T, windows []string, answers [][2]string) looked {
	t.Helper()
	input := must.Get(json.Marshal(map[string]any{"windows": windows, "answers": answers}))(t)
	var got looked
	must.Do(t, json.Unmarshal(node(t, malformedScript, input), &got))
	return got
}

// wrongValues are JSON values that stand in place of others.
var wrongValues = []string{"null", "true", "-1", "1.5", "1e300", "1e999", "9007199254740993", `""`, `"x"`, "[]", "{}", "[null]",
	`{"a":null}`, strings.Repeat("[", 2000) + strings.Repeat("]", 2000)}

// damaged are a document with each of its members replaced by each wrong value, and
// left out. The place of a member is its text in the document.
func damaged(document string, members ...string) []string {
	var list []string
	for _, member := range members {
		name, _, _ := strings.Cut(member, ":")
		for _, value := range wrongValues {
			list = append(list, strings.Replace(document, member, name+":"+value, 1))
		}
		list = append(list, strings.Replace(document, member, `"renamed":0`, 1))
	}
	return list
}

// TestMalformedWindows: whatever comes in place of events, the page reports in plain words
// that the chain could not be verified.
func TestMalformedWindows(t *testing.T) {
	scene := must.Get(harness.Build("issued", 1, harness.Options{}))(t)
	events := make([]string, 4)
	for i := range events {
		events[i] = string(seal.Canonical(scene.Tenant[i]))
	}
	last := scene.Tenant[3]
	head := `{"sequence":4,"hash":"` + seal.Text(last, "hash") + `"}`
	window := func(head string, events ...string) string {
		return `{"events":[` + strings.Join(events, ",") + `],"head":` + head + `}`
	}
	windows := append([]string{`{}`}, wrongValues...)
	whole := window(head, events...)
	windows = append(windows, damaged(whole, `"head":`+head)...)
	windows = append(windows, damaged(`{"events":"events","head":`+head+`}`, `"events":"events"`)...)
	windows = append(windows, damaged(whole, `"sequence":4,"hash":"`+seal.Text(last, "hash")+`"`)...)
	for i := range events {
		for _, value := range wrongValues {
			other := append([]string{}, events...)
			other[i] = value
			windows = append(windows, window(head, other...))
		}
		body := seal.Member(scene.Tenant[i], "body")
		for _, member := range []string{"body", "hash", "previous_hash", "skip_hash"} {
			for _, changed := range damaged(events[i], `"`+member+`":`+string(seal.Canonical(scene.Tenant[i][member]))) {
				other := append([]string{}, events...)
				other[i] = changed
				windows = append(windows, window(head, other...))
			}
		}
		for name := range body {
			for _, changed := range damaged(events[i], `"`+name+`":`+string(seal.Canonical(body[name]))) {
				other := append([]string{}, events...)
				other[i] = changed
				if changed != events[i] {
					windows = append(windows, window(head, other...))
				}
			}
		}
	}
	got := look(t, append(windows, whole), nil)
	for i, said := range got.Labels[:len(windows)] {
		if label, faults, _ := strings.Cut(said, "\n"); label != unverified || faults == "" || ofJavaScript.MatchString(said) {
			t.Errorf("%.300s: %.300s", windows[i], said)
		}
	}
	if n := len(windows); n < 500 || got.Labels[n] != "Chain verified from genesis" {
		t.Errorf("%d windows; the whole one: %s", n, got.Labels[n])
	}
}

// The answers that the page shows, as the cloud makes them.
const (
	wholeOverview = `{"tenant_id":"t","label":"l","as_of":"2026-03-02T09:00:00Z","operator":"ada",
"profiles":[{"profile_id":"p","names":["dns:a"],"algorithms":["a"]}],
"nodes":[{"node_id":"n","state":"ok","policy_version":1,"audit_sequence":1,"version_lag":0,"last_seen":"2026-03-02T09:00:00Z"}],
"quorum":{"healthy":1,"required":1,"state":"available"},
"integrations":[{"integration_id":"i","kind":"nginx","adapter_reference":"r","profile_id":"p","node_id":"n","revision":1,"state":"healthy"}],
"incidents":{"issuance_paused":true,"reason":"r","resume_request":{"request_id":"r","by":"ada","expires_at":"2026-03-02T09:00:00Z"}},
"trust_health":{"status":"healthy","expiring_within_30_days":0,"active_certificates":0},
"revocation":{"crls":[{"issuer":"i","number":0,"state":"pending"}],"ocsp":{"responses":0,"attention":0}},
"rotations":[{"transaction_id":"t","integration_id":"i","kind":"nginx","status":"staged","promotion":"manual","steps":[{"status":"s","at":"2026-03-02T09:00:00Z"}]}]}`
	wholeWitness = `{"checkpoint":{"sequence":1},"witnesses":{"received":1,"required":2,"node_ids":["n"]}}`
)

// TestMalformedAnswers: an answer that lacks a member that the page shows is refused in plain
// words, before any of it is shown. One with more members is not.
func TestMalformedAnswers(t *testing.T) {
	whole := map[string]string{
		"overview": wholeOverview, "witness": wholeWitness,
	}
	member := regexp.MustCompile(`"(\w+)":("[^"]*"|\d+|true|\[)`)
	var wrong, sound [][2]string
	for name, document := range whole {
		sound = append(sound, [2]string{name, document}, [2]string{name, strings.Replace(document, "{", `{"more":null,`, 1)})
		for _, value := range wrongValues {
			wrong = append(wrong, [2]string{name, value})
		}
		for _, m := range member.FindAllStringSubmatchIndex(document, -1) {
			for _, value := range []string{"null", "{}", "1.5", "1e999"} {
				if document[m[5]-1] == '[' { // a list becomes one of wrong values
					wrong = append(wrong, [2]string{name, document[:m[5]] + value + "," + document[m[5]:]})
					continue
				}
				wrong = append(wrong, [2]string{name, document[:m[4]] + value + document[m[5]:]})
			}
		}
	}
	got := look(t, nil, append(wrong, sound...))
	for i, said := range got.Shapes {
		switch {
		case i >= len(wrong) && said != "":
			t.Errorf("%s is refused: %s", sound[i-len(wrong)], said)
		case i < len(wrong) && (!strings.Contains(said, ": expected ") || ofJavaScript.MatchString(said)):
			t.Errorf("%.300s: %q", wrong[i], said)
		}
	}
	check.That(t, len(wrong) >= 200, "%d answers", len(wrong))
}
