package main

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// runCases runs the self-test over given cases.
func runCases(t *testing.T, cases []fixtures.Case, args ...string) (int, string) {
	t.Helper()
	p := program()
	for _, c := range p.Commands {
		if c.Name == "selftest" {
			c.Action = action(func(c *invocation) *reply { return selftest(c, cases) }).runAs("selftest")
		}
	}
	var out bytes.Buffer
	return p.Run(append([]string{"selftest"}, args...), strings.NewReader(""), &out, io.Discard), out.String()
}

func TestSelftest(t *testing.T) {
	cases := must.Get(fixtures.Cases())(t)[:20] // a script runs them all
	code, text := runCases(t, cases)
	check.That(t, code == 0 && strings.HasPrefix(text, "VERIFIED  "), "exit code %d\n%s", code, text)

	// A verifier that answers otherwise than one case wants.
	wrong := slices.Clone(cases)
	wrong[0].Expect.Verdict = "other"
	code, text = runCases(t, wrong)
	if code != 1 || !strings.Contains(text, wrong[0].Name) || !strings.HasPrefix(text, "REJECTED  20 cases\n") {
		t.Errorf("with a disagreement: exit code %d\n%s", code, text)
	}
	code, text = runCases(t, wrong, "--output", "json")
	check.That(t, code == 1 && strings.Contains(text, `"name": "`+wrong[0].Name+`"`),
		"with a disagreement, as JSON: exit code %d\n%s", code, text)

	// V-01: no cases, no success.
	code, text = runCases(t, nil)
	check.That(t, code == 3 && strings.HasPrefix(text, "OPEN  0 cases\n"),
		"without cases: exit code %d\n%s", code, text)
}
