// Package inspect reads the content of a bundle without verifying any of it.
//
// No key is used, and no signature is opened: every value in an [Overview] is a
// claim. Of a damaged bundle, the overview has the faults and whatever can be
// read.
package inspect

import (
	"fmt"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/verify"
)

// Overview is the content of a bundle. Nothing in it was verified.
type Overview struct {
	Schema     string           `json:"schema"`
	Unverified bool             `json:"unverified"` // always true
	SHA256     string           `json:"bundle_sha256"`
	Form       string           `json:"form"` // well-formed, malformed or empty
	Faults     []verify.Finding `json:"faults"`
	Signed     []Signed         `json:"signed"`
	Parts      *Parts           `json:"parts,omitempty"` // absent if a part could not be read
}

// Signed is one signed statement or event: its place, its protocol, the key id that its
// envelope names, and its decisions and times.
type Signed struct {
	Path     string  `json:"path"`
	Protocol string  `json:"protocol"`
	KeyID    string  `json:"key_id"`
	Says     []Claim `json:"says"`
}

// Claim is one member of a statement.
type Claim struct {
	Member string `json:"member"`
	Value  string `json:"value"`
}

// Schema names the JSON form of an [Overview].
const Schema = "svc-verify/inspect/v1"

// Of returns the overview of a bundle, from its bytes and the parts that could be read.
func Of(in *bundle.Input, doc []byte) Overview {
	o := Overview{Schema: Schema, Unverified: true, SHA256: bundle.Hash(in.SHA256).String(),
		Form: "well-formed", Faults: []verify.Finding{}, Signed: []Signed{}}
	switch {
	case in.Empty():
		o.Form = "empty"
	case len(in.Faults) > 0:
		o.Form = "malformed"
	}
	for _, f := range in.Faults {
		o.Faults = append(o.Faults, finding.OfFault(f))
	}
	if len(doc) <= form.MaxBundle {
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

// appendSigned appends everything in a value that is in an envelope, in
// document order. It asks for nothing but the members of an envelope, so it
// reads damaged bundles as well.
func appendSigned(all []Signed, v *ijson.Value) []Signed {
	content, ok := v.Member("statement")
	if !ok {
		content, ok = v.Member("body")
	}
	if key, named := v.Member("key_id"); ok && named {
		s := Signed{Path: v.Pointer(), Protocol: "unknown", KeyID: key.Text(), Says: []Claim{}}
		if p, ok := content.Member("protocol"); ok {
			s.Protocol = p.Text()
		}
		for _, name := range claims {
			if m, ok := content.Member(name); ok {
				s.Says = append(s.Says, Claim{name, scalarText(m)})
			}
		}
		return append(all, s)
	}
	for within := range v.All() {
		all = appendSigned(all, within)
	}
	return all
}

// scalarText writes a value as text; of an object or array only its kind.
func scalarText(v *ijson.Value) string {
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
