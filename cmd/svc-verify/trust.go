package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/schemas"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/trustfile"
	"github.com/svc-edge/svc-verify/verify/text"
)

// trustShow shows the fingerprints of a trust file, and who could together forge a proof.
func trustShow(c *invocation) *reply {
	root := c.readTrust(c.Args[0])
	v := trustfile.Show(root, c.Number("minimum-approvals"))
	return replyTo(outcome.Verified, v, withName(text.TrustFile, c.Args[0]))
}

func trustLint(c *invocation) *reply {
	root := c.readTrustBy(c.Args[0], parseBySchema)
	known := knownKeys(c)
	other := root
	if c.Given("beside") {
		other = c.readTrust(c.Text("beside"))
	}
	notices := trustfile.Lint(root, known)
	if c.Given("beside") {
		notices = append(notices, trustfile.LintBeside(root, other)...)
	}
	a := &reply{doc: func() *answer.Doc { return text.Notices(notices, safetext.Quote(c.Args[0])) }, json: struct {
		Schema  string             `json:"schema"`
		Notices []trustfile.Notice `json:"notices"`
	}{"svc-verify/trust-lint/v1", notices}}
	if slices.ContainsFunc(notices, func(n trustfile.Notice) bool { return n.Severity != finding.Info }) {
		a.code = exitRejected
	}
	return a
}

// parseBySchema reads a trust file. It adds the faults of its schema, at places without another
// fault: the parser does not look into a list that is too long.
func parseBySchema(doc []byte) (*trust.Root, error) {
	root, err := trust.Parse(doc)
	var faults trust.Faults
	if !errors.As(err, &faults) {
		return root, err
	}
	named := map[string]bool{}
	for _, f := range faults {
		named[f.Path] = true
	}
	violations, err := schemas.FindViolations("trust", doc)
	if err != nil {
		return nil, faults // too large for a schema
	}
	for _, v := range violations {
		if !named[v.Pointer] && len(faults) < form.MaxFaults {
			named[v.Pointer] = true
			faults = append(faults, ijson.Fault{Code: form.BadValue, Path: v.Pointer, Expected: v.Expected, Found: v.Found})
		}
	}
	return nil, faults
}

// knownKeys returns the keys of the demonstration scenes and of the file of --known: lines of
// a key and its description. Empty lines and lines that start with # are left out.
func knownKeys(c *invocation) map[trust.PublicKey]string {
	known := sceneKeys()
	if !c.Given("known") {
		return known
	}
	name := c.Text("known")
	doc := c.readFile(name, form.MaxTrust)
	stopIf(len(doc) > form.MaxTrust, "reading %s: expected at most %d bytes", safetext.Quote(name), form.MaxTrust)
	for i, line := range strings.Split(string(doc), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		text, what, _ := strings.Cut(line, " ")
		key, err := trustfile.ReadKey([]byte(text))
		stopIf(err != nil, "reading %s, line %d: %w", safetext.Quote(name), i+1, err)
		known[key] = "in " + safetext.Quote(name) + " as " + safetext.Quote(strings.TrimSpace(what))
	}
	return known
}
