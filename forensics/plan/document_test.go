package plan_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/must"
)

// A plan is read back as it was written, with names that are no text.
func TestDocument(t *testing.T) {
	log := journal(32)
	dir := write(t, map[string][]byte{"a\nb.ndjson": log, "\xff.gz": packed(t, log), "empty": nil, "100%": []byte("x"),
		"x.001": log[:99], "x.002": log[99:500]})
	p := makePlan(t, plan.Options{Shares: 3, Least: 1, Ingest: ingest.Options{Read: read.Options{
		BatchAttributes: []string{"b", "a"}}}}, dir, filepath.Join(dir, "none"))
	doc := must.Get(p.Document())(t)
	back, err := plan.Parse(doc)
	check.That(t, err == nil && reflect.DeepEqual(back, p), "%v\n%+v\n%+v", err, back, p)
	check.That(t, plan.Digest(doc) != plan.Digest(append(doc, ' ')), "two documents have one digest")
}

// good is a plan of two shares.
var good = `{"batch_attributes":["a","b"],"input_format":"bodies","schema":"svc-verify/plan/v1","shares":2,"sources":[` +
	`{"format":"bodies","names":[{"absolute":"/e/x","given":"x"}],"ranges":[` +
	`{"consumed":0,"from":0,"sha256":"` + one + `","share":0,"to":300},{"consumed":299,"from":300,"sha256":"` + two +
	`","share":1,"to":600}],` +
	`"sha256":"` + three + `","size":600},` +
	`{"names":[{"given":"y.1"},{"given":"y.2"}],"ranges":[{"consumed":0,"from":0,"sha256":"` + one +
	`","share":1,"to":9}],` +
	`"remark":"joined","sha256":"` + one + `","size":9,"volumes":2}],"unread":[{"code":"a.b","detail":"d","path":"z"}]}`

var one, two, three = strings.Repeat("1", 64), strings.Repeat("2", 64), strings.Repeat("3", 64)

// Whatever could be read in two ways, leaves a gap or names nothing is refused.
func TestParse(t *testing.T) {
	must.Get(plan.Parse([]byte(good)))(t)
	for name, c := range map[string]struct{ from, to, code string }{
		"no JSON": {good, "x", "json."},
		"another order": {`"schema":"svc-verify/plan/v1","shares":2`,
			`"shares":2,"schema":"svc-verify/plan/v1"`, "form.not-canonical"},
		"another schema":              {"plan/v1", "plan/v2", "form.bad-value"},
		"no shares":                   {`"shares":2`, `"shares":0`, "form.bad-value"},
		"too many shares":             {`"shares":2`, `"shares":100001`, "form.bad-value"},
		"a member too many":           {`"shares":2`, `"shares":2,"sharez":3`, "form.unknown-member"},
		"attributes in another order": {`["a","b"]`, `["b","a"]`, "form.unordered"},
		"an attribute twice":          {`["a","b"]`, `["a","a"]`, "form.unordered"},
		"an unknown format":           {`"input_format":"bodies"`, `"input_format":"gzip"`, "form.bad-value"},
		"a share too high":            {`"share":1,"to":600`, `"share":2,"to":600`, "form.bad-value"},
		"a gap":                       {`"from":300`, `"from":301`, "form.bad-value"},
		"an overlap":                  {`"from":300`, `"from":299`, "form.bad-value"},
		"an end before the end":       {`"to":600`, `"to":599`, "form.bad-value"},
		"octets before the first": {`{"consumed":0,"from":0,"sha256":"` + one + `","share":0`,
			`{"consumed":1,"from":0,"sha256":"` + one + `","share":0`, "form.bad-value"},
		"nothing before a cut":      {`"consumed":299,"from":300`, `"consumed":0,"from":300`, "form.bad-value"},
		"more than is before a cut": {`"consumed":299,"from":300`, `"consumed":301,"from":300`, "form.bad-value"},
		"another digest of the whole": {`"remark":"joined","sha256":"` + one, `"remark":"joined","sha256":"` + two,
			"form.bad-value"},
		"a source twice": {`"sha256":"` + three + `","size":600`, `"sha256":"` + one + `","size":600`,
			"form.unordered"},
		"more volumes than names": {`"volumes":2`, `"volumes":3`, "form.bad-value"},
		"one volume":              {`"volumes":2`, `"volumes":1`, "form.bad-value"},
		"a path that is no text":  {`"given":"x"`, `"given":"%78"`, "form.bad-value"},
		"an empty path":           {`"path":"z"`, `"path":""`, "form.bad-value"},
		"a long path":             {`"path":"z"`, `"path":"` + strings.Repeat("z", plan.MaxText+1) + `"`, "form.bad-value"},
		"no names":                {`[{"absolute":"/e/x","given":"x"}]`, `[]`, "form.bad-value"},
		"an upper-case digest":    {three, strings.Repeat("A", 64), "form.bad-value"},
	} {
		check.That(t, strings.Contains(good, c.from), "%s: nothing to change", name)
		_, err := plan.Parse([]byte(strings.Replace(good, c.from, c.to, 1)))
		var fault *ijson.Fault
		switch {
		case c.code == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.code != "" && (!errors.As(err, &fault) || !strings.HasPrefix(fault.Code, c.code)):
			t.Errorf("%s: %v, expected %s", name, err, c.code)
		}
	}
	_, err := plan.Parse(bytes.Repeat([]byte(" "), plan.MaxSize+1))
	check.That(t, err != nil && strings.Contains(err.Error(), "too-large"), "a plan that is too large: %v", err)
}

// Reading any bytes ends, and a plan that is read is written in the same way.
func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"batch_attributes":[],"schema":"svc-verify/plan/v1","shares":1,"sources":[],"unread":[]}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		p, err := plan.Parse(doc)
		if err != nil {
			return
		}
		again, err := p.Document()
		check.That(t, err == nil && bytes.Equal(again, doc), "%v\n%s\n%s", err, doc, again)
		pieces := 0
		for _, share := range p.Pieces() {
			pieces += len(share)
		}
		check.That(t, pieces >= len(p.Sources), "%d sources have %d pieces", len(p.Sources), pieces)
	})
}
