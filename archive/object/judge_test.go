package object_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
)

// scene writes a scene into a folder, and returns the folder and the trust file.
func scene(t testing.TB, name string) (dir string, root *trust.Root) {
	t.Helper()
	dir = t.TempDir()
	s := must.Get(harness.Build(name, 1, harness.Options{Events: 300}))(t)
	must.Do(t, s.Write(dir))
	root = must.Get(trust.Parse(octetsOf(t, dir, fleet.TrustFile)))(t)
	return dir, root
}

func octetsOf(t testing.TB, path ...string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(filepath.Join(path...)))(t)
}

// judge judges bytes, in memory and as a file, and expects no difference. Nothing is left of
// it.
func judge(t testing.TB, root *trust.Root, octets []byte) object.Judgement {
	t.Helper()
	temp := t.TempDir()
	j := object.NewJudge(object.Options{Root: root, TempDir: temp, Workers: 2})
	judged, err := j.Octets(t.Context(), octets)
	must.Do(t, errors.Join(err, j.Err()))
	if judged.Kind != object.Bundle {
		file := object.File{Octets: bytes.NewReader(octets), Size: int64(len(octets)), SHA256: sha256.Sum256(octets)}
		again, err := j.File(t.Context(), file)
		check.That(t, err == nil && again.Verdict == judged.Verdict &&
			again.Code == judged.Code, "in memory it is %+v, as a file %+v, %v", judged, again, err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	return judged
}

// packed makes a tar archive of files, compressed.
func packed(files map[string][]byte) []byte { return []byte(must.Gzip(must.Tar(must.Pairs(files)...))) }

// caseOf returns the bytes of a case.
func caseOf(t testing.TB, o ingest.Options, paths ...string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.db")
	w := must.Get(store.OpenWrite(path))(t)
	_, err := ingest.Paths(t.Context(), w, paths, o, nil)
	must.Do(t, errors.Join(err, w.Close()))
	return octetsOf(t, path)
}

// TestKinds judges an object of each kind, and objects that come close to it.
func TestKinds(t *testing.T) {
	dir, root := scene(t, "revoked")
	proof, journal := octetsOf(t, dir, "svc-evidence-tx-2026-0001.json"), octetsOf(t, dir, "tenant.ndjson")
	cut := bytes.Index(journal, []byte("\n"))
	for name, c := range map[string]struct {
		octets  []byte
		kind    object.Kind
		verdict outcome.Class
		code    finding.Code
	}{
		"a proof": {proof, object.Bundle, outcome.Verified, ""},
		"a proof behind a mark": {append([]byte("\xef\xbb\xbf"), proof...), object.Bundle, outcome.Rejected,
			"json.syntax"},
		"half a proof":             {proof[:len(proof)/2], object.Bundle, outcome.Rejected, "json.syntax"},
		"the beginning of a proof": {proof[:5], object.Bundle, outcome.Rejected, "json.syntax"},
		"a proof in lines, cut": {bytes.ReplaceAll(proof, []byte(`,"`), []byte(",\n\""))[:5000], object.Bundle,
			outcome.Rejected, "json.syntax"},
		"no octets":                {nil, object.Bundle, outcome.Inconclusive, "json.empty"},
		"a journal":                {octetsOf(t, dir, "journals", "mesh-oslo-1.ndjson"), object.Logs, outcome.Verified, ""},
		"a log without the others": {journal, object.Logs, outcome.Inconclusive, "journal.absent"},
		"one event":                {journal[:cut+1], object.Logs, outcome.Verified, ""},
		"a proof and more behind it": {slices.Concat(proof, []byte("\nx")), object.Bundle, outcome.Rejected,
			"json.trailing-data"},
		"a proof in lines": {slices.Concat(proof, []byte("\n"), proof), object.Logs, outcome.Verified, ""},
		"a journal, cut":   {journal[:len(journal)-100], object.Logs, outcome.Inconclusive, ""},
		"a journal, altered": {bytes.Replace(journal, []byte(`"sequence":7`), []byte(`"sequence":8`), 1), object.Logs,
			outcome.Rejected, ""},
		"a folder, packed":        {packed(must.FilesBelow(t, dir)), object.Logs, outcome.Verified, ""},
		"a case":                  {caseOf(t, ingest.Options{}, dir), object.Case, outcome.Verified, ""},
		"a trust file":            {octetsOf(t, dir, "trust.json"), object.Other, "", ""},
		"a certificate":           {octetsOf(t, dir, "certificates", "tx-2026-0001.pem"), object.Other, "", ""},
		"a text":                  {[]byte("kept until 2046\n"), object.Other, "", ""},
		"lines of something else": {[]byte("{\"a\":1}\n{\"a\":2}\n"), object.Other, "", ""},
		"a packed journal, cut": {packed(map[string][]byte{"a": journal})[:40], object.Logs, outcome.Inconclusive,
			finding.SourceTruncated},
		"an image": {[]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + strings.Repeat("\x07\x80", 999)),
			object.Other, "", ""},
		"a packed text": {packed(map[string][]byte{"a": []byte("nothing\n")}), object.Other, "", ""},
		"pages of an open database": {append([]byte("\x37\x7f\x06\x82\x00\x2d\xe2\x18"), make([]byte, 100)...), object.Case,
			outcome.Inconclusive, object.CaseUnread},
	} {
		t.Run(name, func(t *testing.T) {
			got := judge(t, root, c.octets)
			check.That(t, got.Kind == c.kind && got.Verdict == c.verdict && (c.code == "" || got.Code == c.code),
				"it is %+v", got)
			check.That(t, (got.Reason == "") == (got.Verdict == outcome.Verified || got.Verdict == ""), "%s: the reason is %q",
				got.Verdict, got.Reason)
		})
	}
}
