package modules

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// script runs the page's own module over cases on standard input.
const script = `
import { verify, skip, canonical } from "./page/verify.js";
const input = JSON.parse(await new Response(process.stdin).text());
const output = { skips: input.sequences.map(skip), canonical: input.documents.map(canonical), labels: [] };
for (const { events, head } of input.cases) {
  const { label, faults } = await verify(events, head);
  output.labels.push(label + faults.map((f) => " #" + f.sequence).join(""));
}
console.log(JSON.stringify(output));
`

type verifyCase struct {
	Events []seal.Object `json:"events"`
	Head   seal.Object   `json:"head"`
	name   string
	want   string
}

const unverified = "Audit chain could not be verified"

// verifyCases are windows of a log, whole and damaged.
func verifyCases(t *testing.T) []verifyCase {
	t.Helper()
	scene := must.Get(harness.Build("issued", 1, harness.Options{}))(t)
	last := scene.Tenant[len(scene.Tenant)-1]
	head := seal.Object{"sequence": int64(len(scene.Tenant)), "hash": last["hash"]}
	log := func(from int, change func([]seal.Object) []seal.Object) []seal.Object {
		var events []seal.Object
		for _, event := range scene.Tenant[from:] {
			events = append(events, seal.CloneObject(event))
		}
		return change(events)
	}
	same := func(events []seal.Object) []seal.Object { return events }
	none := seal.Object{"sequence": int64(0), "hash": ""}
	flip := func(member string, event seal.Object) {
		text := []byte(seal.Text(event, member))
		text[0] ^= 1
		event[member] = string(text)
	}
	return []verifyCase{
		{[]seal.Object{}, none, "empty", "No audit events yet"},
		{log(0, same), head, "whole", "Chain verified from genesis"},
		{log(7, same), head, "a window", "Recent events verified"},
		{log(len(scene.Tenant)-1, same), head, "one event", "Recent events verified"},
		{[]seal.Object{}, head, "nothing of something", unverified + " #0"},
		{log(0, func(e []seal.Object) []seal.Object { return e[:20] }), head, "an end missing", unverified + " #20"},
		{log(0, same), seal.Object{"sequence": head["sequence"], "hash": scene.Tenant[3]["hash"]}, "another head",
			unverified + " #60"},
		{log(0, func(e []seal.Object) []seal.Object { return append(e[:9], e[10:]...) }), head, "a hole",
			unverified + " #11"},
		{log(0, func(e []seal.Object) []seal.Object { e[4], e[5] = e[5], e[4]; return e }), head, "swapped",
			unverified + " #6 #5 #7"},
		{log(0, func(e []seal.Object) []seal.Object { seal.Member(e[4], "body")["type"] = "x"; return e }), head,
			"an altered body", unverified + " #5 #6 #6"},
		{log(0, func(e []seal.Object) []seal.Object { flip("hash", e[4]); return e }), head, "an altered hash",
			unverified + " #5"},
		{log(0, func(e []seal.Object) []seal.Object { flip("previous_hash", e[4]); return e }), head, "an altered link",
			unverified + " #5 #5 #6 #6"},
		{log(0, func(e []seal.Object) []seal.Object { flip("skip_hash", e[12]); return e }), head, "an altered skip link",
			unverified + " #13 #13 #14 #14 #17 #26 #40"},
		{log(0, func(e []seal.Object) []seal.Object { flip("previous_hash", e[0]); return e }), head, "another genesis",
			unverified + " #1 #1 #2 #2 #4"},
		{log(0, func(e []seal.Object) []seal.Object { e[4]["previous_hash"] = "x"; return e }), head, "no link",
			unverified + " #5 #6"},
	}
}

// node runs a script in the folder of the console's page, and returns its output.
func node(t *testing.T, script string, input []byte) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), must.Program(t, "node"), "--input-type=module", "-e", script) // #nosec G204 -- a test
	command.Dir = "../../../console"
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	return must.Get(command.Output())(t)
}

// TestVerify holds the page's own check against the producer.
func TestVerify(t *testing.T) {
	cases := verifyCases(t)
	sequences := make([]int64, 3000)
	for i := range sequences {
		sequences[i] = int64(i + 1)
	}
	documents := []seal.Object{
		{"b": "é\u2028\"\\\x01\x7f", "a": []any{int64(-1), true, seal.Object{}}, "10": "", "9": int64(1<<53 - 1),
			"\U0001f600": "\U0001f600", "\ufb33": "dalet"},
	}
	input := must.Get(json.Marshal(map[string]any{"sequences": sequences, "documents": documents, "cases": cases}))(t)
	b := node(t, script, input)
	var got struct {
		Skips     []uint64
		Canonical []string
		Labels    []string
	}
	must.Do(t, json.Unmarshal(b, &got))
	for i, n := range sequences {
		if want := seal.Skip(uint64(n)); got.Skips[i] != want {
			t.Fatalf("skip(%d) is %d, want %d", n, got.Skips[i], want)
		}
	}
	for i, document := range documents {
		if want := string(seal.Canonical(document)); got.Canonical[i] != want {
			t.Errorf("%s, want %s", got.Canonical[i], want)
		}
	}
	for i, c := range cases {
		check.Equal(t, got.Labels[i], c.want, "%s", c.name)
	}
}
