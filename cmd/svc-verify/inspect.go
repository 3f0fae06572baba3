package main

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

func inspectCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "inspect",
		Summary: "Show what a bundle says, without verifying any of it",
		Description: "Shows the parts of a bundle: who signed what with which key id, the terms, the certificates, the path and the checkpoint. " +
			"No key is used and no signature is looked at: every line is marked unverified. Of a damaged bundle it shows the faults and what can be read.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "the bundle has its form"},
			{Code: exitRejected, Meaning: "it is malformed"},
			{Code: exitInconclusive, Meaning: "it is empty"},
		},
		Args:     "BUNDLE",
		Flags:    []cliapp.Flag{formFlag()},
		Examples: []string{"svc-verify inspect bundle.json", "svc-verify inspect --output json -"},
		Action:   inspect,
	}
}

func inspect(c *cliapp.Context) (int, error) {
	doc, err := readBundle(c, c.Args[0])
	if err != nil {
		return 0, err
	}
	in := bundle.Open(doc)
	o := overviewOf(in, doc)
	if c.Text("output") == "json" {
		err = writeJSON(c.Stdout, o)
	} else {
		_, err = c.Stdout.Write([]byte(o.text(safetext.Quote(c.Args[0]))))
	}
	if err != nil {
		return 0, err
	}
	switch {
	case in.Empty():
		return exitInconclusive, nil
	case len(in.Faults) > 0:
		return exitRejected, nil
	}
	return exitVerified, nil
}

// overview is what a bundle says of itself. Nothing in it was verified.
type overview struct {
	Schema     string           `json:"schema"`
	Unverified bool             `json:"unverified"` // always true
	SHA256     string           `json:"bundle_sha256"`
	Form       string           `json:"form"` // well-formed, malformed or empty
	Faults     []verify.Finding `json:"faults"`
	Signed     []signed         `json:"signed"`
	Parts      *parts           `json:"parts,omitempty"` // absent if a part could not be read
}

// signed is one signed statement or event: its place, its protocol, the key id
// that its envelope names, and what it says of decisions and times.
type signed struct {
	Path     string  `json:"path"`
	Protocol string  `json:"protocol"`
	KeyID    string  `json:"key_id"`
	Says     []claim `json:"says"`
}

// claim is one member of a statement.
type claim struct {
	Member string `json:"member"`
	Value  string `json:"value"`
}

func overviewOf(in *bundle.Input, doc []byte) overview {
	o := overview{Schema: "svc-verify/inspect/v1", Unverified: true, SHA256: bundle.Hash(in.SHA256).String(),
		Form: "well-formed", Faults: []verify.Finding{}, Signed: []signed{}}
	switch {
	case in.Empty():
		o.Form = "empty"
	case len(in.Faults) > 0:
		o.Form = "malformed"
	}
	for _, f := range in.Faults {
		o.Faults = append(o.Faults, verify.Finding{Code: verify.Code(f.Code), Path: f.Pointer, Expected: f.Want, Found: f.Got})
	}
	if !tooLarge(doc) {
		if v, fault := ijson.Parse(doc); fault == nil {
			o.Signed = appendSigned(o.Signed, v)
		}
	}
	if in.Bundle != nil {
		o.Parts = partsOf(in.Bundle)
	}
	return o
}

// claims are the members of statements that an overview shows.
var claims = []string{
	"type", "sequence", "node_id", "decision", "status", "reason",
	"observed_at", "decided_at", "expires_at", "issued_at", "revoked_at", "occurred_at", "created_at", "witnessed_at",
}

// appendSigned appends everything in a value that stands in an envelope, in
// document order. It asks for nothing but the members of an envelope, so it
// reads damaged bundles as well.
func appendSigned(all []signed, v *ijson.Value) []signed {
	content, ok := v.Member("statement")
	if !ok {
		content, ok = v.Member("body")
	}
	if key, named := v.Member("key_id"); ok && named {
		s := signed{Path: v.Pointer(), Protocol: "unknown", KeyID: key.Text(), Says: []claim{}}
		if p, ok := content.Member("protocol"); ok {
			s.Protocol = p.Text()
		}
		for _, name := range claims {
			if m, ok := content.Member(name); ok {
				s.Says = append(s.Says, claim{name, scalar(m)})
			}
		}
		return append(all, s)
	}
	for within := range v.All() {
		all = appendSigned(all, within)
	}
	return all
}

// scalar writes a value as text; of an object or array only its kind.
func scalar(v *ijson.Value) string {
	switch v.Kind() {
	case ijson.String:
		return v.Text()
	case ijson.Number:
		return fmt.Sprint(v.Int())
	case ijson.Bool:
		return fmt.Sprint(v.Bool())
	}
	return v.Kind().String()
}

// text renders the overview for people. Every line is marked.
func (o overview) text(file string) string {
	const mark = "unverified  "
	p := page.Narrow(len(mark))
	o.write(p, file)
	var b strings.Builder
	for line := range strings.Lines(p.String()) {
		b.WriteString(strings.TrimRight(mark+line, " \n") + "\n")
	}
	return b.String()
}
