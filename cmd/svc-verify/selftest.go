package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

func selftestCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "selftest",
		Summary: "Run the embedded conformance cases on this machine",
		Description: "Verifies every embedded case, genuine or attack, and compares verdict, check, code and place " +
			"with the expected ones.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "there were cases, and all agreed"},
			{Code: exitRejected, Meaning: "one did not agree"},
			{Code: exitInconclusive, Meaning: "there were none"},
		},
		Flags:    []cliapp.Flag{formFlag(), colorFlag()},
		Examples: []string{"svc-verify selftest"},
		Action: func(c *cliapp.Context) (int, error) {
			cases, err := fixtures.Cases()
			if err != nil {
				return 0, err
			}
			return selftest(c, cases)
		},
	}
}

// tally is what came out of a self-test.
type tally struct {
	Schema        string         `json:"schema"`
	Verdict       verify.Verdict `json:"verdict"`
	Cases         int            `json:"cases"`
	Families      []family       `json:"families"` // ascending by name
	Disagreements []disagreement `json:"disagreements"`
}

// family is the cases of one check, or of one kind that is no check's.
type family struct {
	Name   string `json:"name"`
	Cases  int    `json:"cases"`
	Agreed int    `json:"agreed"`
}

// disagreement is a case in which the verifier did not answer as it must.
type disagreement struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

func selftest(c *cliapp.Context, cases []fixtures.Case) (int, error) {
	t := tally{Schema: "svc-verify/selftest/v1", Families: []family{}, Disagreements: []disagreement{}}
	progress := progressTo(c.Stderr)
	for i, one := range cases {
		t.run(one)
		fmt.Fprintf(progress, "\r%d of %d", i+1, len(cases))
	}
	fmt.Fprint(progress, "\r\x1b[K")
	switch {
	case len(t.Disagreements) > 0:
		t.Verdict = verify.Rejected
	case t.Cases > 0:
		t.Verdict = verify.Verified
	default:
		t.Verdict = verify.Inconclusive
	}
	if c.Text("output") == "json" {
		return exitCode(t.Verdict), writeJSON(c.Stdout, t)
	}
	return exitCode(t.Verdict), t.write(c)
}

// run runs one case. Cases come sorted by name, so those of a family follow one
// another.
func (t *tally) run(c fixtures.Case) {
	name, _, _ := strings.Cut(c.Name, "/")
	if n := len(t.Families); n == 0 || t.Families[n-1].Name != name {
		t.Families = append(t.Families, family{Name: name})
	}
	f := &t.Families[len(t.Families)-1]
	t.Cases++
	f.Cases++
	outcome, err := c.Run()
	if err == nil {
		err = c.Agrees(outcome)
	}
	if err != nil {
		t.Disagreements = append(t.Disagreements, disagreement{c.Name, err.Error()})
		return
	}
	f.Agreed++
}

func (t tally) write(c *cliapp.Context) error {
	rows := [][]string{}
	agreed := 0
	for _, f := range t.Families {
		rows = append(rows, []string{f.Name, fmt.Sprint(f.Cases), fmt.Sprint(f.Agreed)})
		agreed += f.Agreed
	}
	rows = append(rows, []string{"all", fmt.Sprint(t.Cases), fmt.Sprint(agreed)})
	p := page.New()
	if err := p.Table([]string{"family", "cases", "agreed"}, rows); err != nil {
		return err
	}
	if len(t.Disagreements) > 0 {
		p.Heading("disagreements")
	}
	for _, d := range t.Disagreements {
		p.Prose(2, d.Name)
		p.Prose(4, d.Reason)
	}
	p.Lead(string(t.Verdict), func() { p.Heading(string(t.Verdict)) })
	return writePage(c, p)
}

// progressTo returns where to show progress: on standard error if that is a
// terminal, else nowhere.
func progressTo(stderr io.Writer) io.Writer {
	if cliapp.IsTerminal(stderr) {
		return stderr
	}
	return io.Discard
}

// sceneKeys returns the keys of the embedded scenes. They are made from a seed
// that everyone knows.
func sceneKeys() (map[trust.PublicKey]string, error) {
	cases, err := fixtures.Cases()
	if err != nil {
		return nil, err
	}
	known := map[trust.PublicKey]string{}
	for _, c := range cases {
		root, err := trust.Parse(c.Trust)
		if err != nil {
			continue // a trust file that must be refused
		}
		for _, role := range []trust.Role{trust.Audit, trust.Signer, trust.Node} {
			for _, k := range root.Keys(role) {
				known[k.Public] = "that of " + safetext.Quote(k.ID) + " in the demonstration scenes"
			}
		}
	}
	return known, nil
}
