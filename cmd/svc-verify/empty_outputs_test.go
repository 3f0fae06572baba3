package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/copies"
	"github.com/svc-edge/svc-verify/archive/handover"
	"github.com/svc-edge/svc-verify/archive/history"
	"github.com/svc-edge/svc-verify/archive/logbook"
	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/replay"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/batch"
	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/fixtures/kit"
	"github.com/svc-edge/svc-verify/forensics/affected"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/pack"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/schemas"
	"github.com/svc-edge/svc-verify/trust/change"
	"github.com/svc-edge/svc-verify/trust/trustfile"
	"github.com/svc-edge/svc-verify/verify"
	"github.com/svc-edge/svc-verify/verify/inspect"
)

// emptyOutputs are the outputs with nothing in them, by the names of their schemas. Of
// those that are written element by element it is one element, without a schema.
var emptyOutputs = map[string]any{
	"affected": affected.Answer{}, "archive-accepted": logbook.Accepted{}, "archive-bag": bag.Result{},
	"archive-compare": copies.Result{}, "archive-evidence": record.Report{},
	"archive-check": archive.Result{}, "archive-diff": logbook.Diff{}, "archive-export": handover.Result{},
	"archive-log": logbook.Log{}, "archive-record": archive.Record{}, "archive-seal": sealAnswer{Report: &seal.Report{}},
	"archive-status": logbook.Status{}, "verify": batch.Summary{}, "verify-record": batch.Record{},
	"case-report": report.Report{}, "contradiction": contradiction.Report{}, "crosscheck": examine.Crosschecked{},
	"findings": query.Found{}, "ingest": query.Ingested{}, "inspect": inspect.Overview{Parts: &inspect.Parts{}},
	"pack": pack.Result{}, "part-description": part.Description{}, "receive": query.Received{}, "report": verify.Report{},
	"conformance": kit.Tally{}, "show": query.Shown{}, "status-row": status.Line{},
	"schema-validate": schemas.Report{Files: []*schemas.File{{}}},
	"trust-history":   history.Report{},
	"version":         versionAnswer{}, "walk": verdict.Result{},

	"batches": query.Batch{}, "events": query.Event{}, "gaps": gap.Gap{}, "ingest-explained": ingest.Explained{},
	"status": status.Search{}, "verify-contradiction": batch.Contradiction{}, "trust-show": trustfile.Shown{},
	"trust-diff": struct {
		change.Difference
		Replay replay.Result `json:"replay"`
	}{},
}

// TestEmptyOutputs: the lists of an output without content are empty lists, as its schema
// requires, and nothing in it can be null.
func TestEmptyOutputs(t *testing.T) {
	for name, v := range emptyOutputs {
		doc := must.Get(safetext.Marshal(v))(t)
		check.That(t, !bytes.Contains(doc, []byte("null")), "%s: %s", name, doc)
		seen := map[reflect.Type]bool{}
		for _, place := range nullable(reflect.TypeOf(v), seen) {
			t.Errorf("%s: %s can be null: it needs omitempty", name, place)
		}
		var own map[string]json.RawMessage
		must.Do(t, json.Unmarshal(doc, &own))
		if own["schema"] == nil { // one element
			continue
		}
		violations := must.Get(schemas.FindViolations(name, doc))(t)
		for _, violation := range violations {
			if strings.HasPrefix(violation.Message, "expected array") || strings.HasPrefix(violation.Message, "expected object") {
				t.Errorf("%s: %s: %s", name, violation.Pointer, violation.Message)
			}
		}
	}
}

// escapeOnly are the files that make printable ASCII of JSON that another has encoded.
var escapeOnly = []string{"forensics/query/events.go", "forensics/report/show.go",
	"service/cmd/svc-edge/status.go"}

// TestOutputsAreEncodedOnce: outputs go through safetext.Marshal, which knows no nil list.
func TestOutputsAreEncodedOnce(t *testing.T) {
	root := filepath.Join("..", "..")
	var found []string
	must.Do(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte("safetext.JSON(")) {
			name, _ := filepath.Rel(root, path)
			found = append(found, filepath.ToSlash(name))
		}
		return err
	}))
	check.That(t, slices.Equal(found, escapeOnly),
		"safetext.JSON is called in %q, expected %q: encode outputs with safetext.Marshal", found, escapeOnly)
}

// nullable returns the members of a type that are null if nothing is set.
func nullable(of reflect.Type, seen map[reflect.Type]bool) (places []string) {
	if seen[of] || of.Implements(reflect.TypeFor[json.Marshaler]()) {
		return nil
	}
	seen[of] = true
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return nullable(of.Elem(), seen)
	case reflect.Struct:
		for f := range of.Fields() {
			tag := f.Tag.Get("json")
			if tag == "-" || !f.IsExported() && !f.Anonymous {
				continue
			}
			kind := f.Type.Kind()
			if (kind == reflect.Pointer || kind == reflect.Interface) && !f.Anonymous && !strings.Contains(tag, ",omit") {
				places = append(places, of.String()+"."+f.Name)
			}
			places = append(places, nullable(f.Type, seen)...)
		}
	}
	return places
}
