package plan

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// The limits of a plan's document.
const (
	MaxSize       = 256 << 20 // bytes: a million files with paths of a hundred bytes
	MaxShares     = 100_000   // as many as one Job of Kubernetes has
	MaxSources    = 1 << 20
	MaxAttributes = 1 << 20                // further attributes with batch ids
	MaxRanges     = MaxSources + MaxShares // of all sources: each cut is between two shares
	MaxText       = 16 << 10               // bytes of a path as text, and of other texts
)

// The form of a plan in JSON.
type (
	document struct {
		Schema          string      `json:"schema"`
		InputFormat     read.Format `json:"input_format,omitempty"`
		BatchAttributes []string    `json:"batch_attributes"`
		Only            []string    `json:"only,omitempty"`
		Shares          int         `json:"shares"`
		Sources         []source    `json:"sources"`
		Unread          []unread    `json:"unread"`
	}
	source struct {
		SHA256  string      `json:"sha256"`
		Size    int64       `json:"size"`
		Format  read.Format `json:"format,omitempty"`
		Volumes int         `json:"volumes,omitempty"`
		Remark  string      `json:"remark,omitempty"`
		Names   []name      `json:"names"`
		Ranges  []span      `json:"ranges"`
	}
	name struct {
		Given    string `json:"given"`
		Absolute string `json:"absolute,omitempty"`
	}
	span struct {
		Share    int    `json:"share"`
		From     int64  `json:"from"`
		To       int64  `json:"to"`
		Consumed int64  `json:"consumed"`
		SHA256   string `json:"sha256"`
	}
	unread struct {
		Path   string `json:"path"`
		Code   string `json:"code"`
		Detail string `json:"detail"`
	}
)

// Document returns the plan as canonical JSON. Its paths are written as text
// (SPEC 15.1). An error means that the plan is beyond the limits.
func (p *Plan) Document() ([]byte, error) {
	d := document{Schema: Schema, InputFormat: p.InputFormat, BatchAttributes: append([]string{}, p.BatchAttributes...),
		Only: p.Only, Shares: p.Shares, Sources: []source{}, Unread: []unread{}}
	for i := range p.Sources {
		s := &p.Sources[i]
		to := source{SHA256: s.SHA256.String(), Size: s.Size, Format: s.Format, Volumes: s.Volumes, Remark: s.Remark}
		for _, n := range s.Names {
			to.Names = append(to.Names, name{safetext.PathText(n.Given), safetext.PathText(n.Absolute)})
		}
		for _, r := range s.Ranges {
			to.Ranges = append(to.Ranges, span{r.Share, r.From, r.To, r.Consumed, r.SHA256.String()})
		}
		d.Sources = append(d.Sources, to)
	}
	for _, u := range p.Unread {
		d.Unread = append(d.Unread, unread{safetext.PathText(u.Path), u.Code, u.Detail})
	}
	doc, err := form.MarshalCanonical(d)
	if err != nil {
		return nil, fmt.Errorf("writing a plan: %w", err)
	}
	if _, err := Parse(doc); err != nil {
		return nil, fmt.Errorf("a plan beyond the limits: %w", err)
	}
	return doc, nil
}

// Parse reads the document of a plan. The error is an *ijson.Fault.
func Parse(doc []byte) (*Plan, error) {
	p := &Plan{}
	return p, form.ReadCanonical(doc, MaxSize, func(r *form.Reader, v *ijson.Value) {
		o := r.Object(v, "batch_attributes", "input_format?", "only?", "schema", "shares", "sources", "unread")
		o.OneOf("schema", Schema)
		if o.Has("input_format") {
			p.InputFormat = read.Format(o.Text("input_format", "a format that can be given", isInputFormat))
		}
		for _, a := range o.List("batch_attributes", 0, MaxAttributes) {
			p.BatchAttributes = append(p.BatchAttributes, r.Text(a, "the name of an attribute", isText))
		}
		if o.Has("only") {
			for _, pattern := range o.List("only", 1, MaxAttributes) {
				p.Only = append(p.Only, r.Text(pattern, "a pattern of names", isPattern))
			}
		}
		p.Shares = int(o.Int("shares", 1, MaxShares))
		ranges := 0
		for _, s := range o.List("sources", 0, MaxSources) {
			p.Sources = append(p.Sources, p.readSource(r, s))
			if ranges += len(p.Sources[len(p.Sources)-1].Ranges); ranges > MaxRanges {
				r.Fault(s, form.TooLarge, fmt.Sprintf("at most %d ranges", MaxRanges), "more")
				return
			}
		}
		for _, u := range o.List("unread", 0, MaxSources) {
			o := r.Object(u, "code", "detail", "path")
			p.Unread = append(p.Unread, facts.Unread{Path: readPath(o, "path"),
				Code:   o.Text("code", "a code", form.Identifier[string]),
				Detail: o.Text("detail", "a text", isText)})
		}
		if len(r.Faults()) == 0 {
			p.ordered(r, v)
		}
	})
}

// ordered checks fixed orders, and the absence of duplicates.
func (p *Plan) ordered(r *form.Reader, v *ijson.Value) {
	for _, all := range [][]string{p.BatchAttributes, p.Only} {
		if !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) < len(all) {
			r.Fault(v, form.Unordered, "batch attributes and patterns in order, each once", "others")
		}
	}
	seen := make(map[chain.Hash]bool, len(p.Sources))
	for i := range p.Sources {
		if seen[p.Sources[i].SHA256] {
			r.Fault(v, form.Unordered, "each source once", p.Sources[i].SHA256.String())
			return
		}
		seen[p.Sources[i].SHA256] = true
	}
}

// readSource reads a source.
func (p *Plan) readSource(r *form.Reader, v *ijson.Value) (s Source) {
	o := r.Object(v, "format?", "names", "ranges", "remark?", "sha256", "size", "volumes?")
	s.SHA256, s.Size = o.Digest("sha256"), o.Int("size", 0, form.MaxInt)
	if o.Has("format") {
		s.Format = read.Format(o.Text("format", "a format", form.Identifier[string]))
	}
	if o.Has("remark") {
		s.Remark = o.Text("remark", "a text", isText)
	}
	for _, n := range o.List("names", 1, MaxSources) {
		o := r.Object(n, "absolute?", "given")
		name := ingest.Name{Given: readPath(o, "given")}
		if o.Has("absolute") {
			name.Absolute = readPath(o, "absolute")
		}
		s.Names = append(s.Names, name)
	}
	if o.Has("volumes") {
		s.Volumes = int(o.Int("volumes", 2, int64(max(2, len(s.Names)))))
	}
	for _, v := range o.List("ranges", 1, MaxShares) {
		s.Ranges = append(s.Ranges, p.span(r, v, &s))
	}
	if n := len(s.Ranges); n > 0 && s.Ranges[n-1].To != s.Size {
		r.Fault(v, form.BadValue, "ranges up to the end of the source", "others")
	}
	return s
}

// span reads the range that follows those which a source has already.
func (p *Plan) span(r *form.Reader, v *ijson.Value, s *Source) Range {
	o := r.Object(v, "consumed", "from", "sha256", "share", "to")
	a := Range{Share: int(o.Int("share", 0, int64(p.Shares-1))), From: o.Int("from", 0, form.MaxInt),
		To: o.Int("to", 0, form.MaxInt), Consumed: o.Int("consumed", 0, form.MaxInt), SHA256: o.Digest("sha256")}
	before := Range{}
	if n := len(s.Ranges); n > 0 {
		before = s.Ranges[n-1]
	}
	first := len(s.Ranges) == 0
	switch {
	case a.From != before.To, a.From >= a.To && (s.Size > 0 || !first):
		r.Fault(v, form.BadValue, "a range that begins where the one before ends, and has octets", "another")
	case first && a.Consumed != 0, !first && (a.Consumed <= before.Consumed || a.Consumed > a.From):
		r.Fault(v, form.BadValue, "as many octets consumed as can be before a range", "others")
	case first && a.To == s.Size && a.SHA256 != s.SHA256:
		r.Fault(v, form.BadValue, "the digest of the source for all of it", "another")
	}
	return a
}

func readPath(o form.Object, name string) (path string) {
	o.Text(name, "a path as text (SPEC 15.1)", func(s string) (ok bool) {
		if s != "" && len(s) <= MaxText {
			path, ok = safetext.ParsePathText(s)
		}
		return ok
	})
	return path
}

func isText(s string) bool { return s != "" && len(s) <= MaxText && utf8.ValidString(s) }

func isPattern(s string) bool {
	_, err := listing.ParsePatterns([]string{s})
	return err == nil && isText(s)
}

func isInputFormat(s string) bool { return slices.Contains(read.Formats(), read.Format(s)) }
