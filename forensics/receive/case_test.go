package receive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// scene is a history whose journals the sink is sent.
var scene = sync.OnceValue(func() *harness.Scene {
	return must.Have(harness.Build("rotated-keys", 1, harness.Options{}))
})

// batch is a run of a log, as a node exports it (SPEC 9.2).
type batch struct {
	id   string
	body []byte
}

// batches cuts a journal into batches of so many events.
func batches(log string, events []seal.Object, size int) (all []batch) {
	for len(events) > 0 {
		n := min(size, len(events))
		sum := sha256.New()
		sum.Write([]byte("svc.audit-batch.v1\x00" + log + "\x00"))
		var lines [][]byte
		for _, e := range events[:n] {
			sum.Write(must.Have(hex.DecodeString(seal.Text(e, "hash"))))
			lines = append(lines, seal.Canonical(e))
		}
		all = append(all, batch{hex.EncodeToString(sum.Sum(nil)), proto(lines...)})
		events = events[n:]
	}
	return all
}

// file is a journal as it is in a file.
func file(events []seal.Object) []byte {
	var b bytes.Buffer
	for _, e := range events {
		b.Write(append(seal.Canonical(e), '\n'))
	}
	return b.Bytes()
}

// send posts a batch and wants it acknowledged.
func (s *sink) send(c *http.Client, b batch) {
	s.t.Helper()
	r, err := s.post(c, message{kind: typeProto, batch: b.id, encoding: "gzip", body: must.Gzip(b.body)})
	must.That(s.t, err == nil && r.status == http.StatusOK && len(r.body) == 0, "%+v, %v", r, err)
}

func (s *sink) walk() *verdict.Result {
	s.t.Helper()
	root := must.Get(trust.Parse(seal.Canonical(scene().Trust)))(s.t)
	return must.Have(examine.Examine(s.t.Context(), s.path, root, examine.Options{Workers: 2}))
}

// logsOf are the logs of the scene, by id.
func logsOf() map[string][]seal.Object {
	all := map[string][]seal.Object{"tenant/" + harness.Tenant: scene().Tenant}
	for id, events := range scene().Journals {
		all["node/"+id] = events
	}
	return all
}

// TestExportedJournalsComeBack: the journals that nodes export are walked as genuine, and come
// out of the case byte for byte. Every third batch is sent twice.
func TestExportedJournalsComeBack(t *testing.T) {
	s := start(t, options(t.TempDir()))
	sent, again := 0, 0
	for log, events := range logsOf() {
		own := client(ours().Client(log))
		for i, b := range batches(log, events, 7) {
			s.send(own, b)
			sent++
			if i%3 == 0 {
				s.send(own, b)
				again++
			}
		}
	}
	s.stop()
	r := s.walk()
	check.That(t, r.Verdict == verify.Verified && len(r.Logs) == 4,
		"%s, %d logs, %+v", r.Verdict, len(r.Logs), r.Findings)
	if b := r.Batches; b.Distinct != int64(sent) || b.Redelivered != int64(again) || b.Conflicting != 0 || b.Absent != 0 {
		t.Errorf("%+v, want %d distinct and %d redelivered", b, sent, again)
	}
	c := s.reader()
	for _, log := range must.Have(c.Logs(t.Context())) {
		var out bytes.Buffer
		must.Have(examine.Export(t.Context(), c, log, store.Filter{}, &out))
		check.That(t, bytes.Equal(out.Bytes(), file(logsOf()[log.LogID])), "%s came back otherwise", log.LogID)
	}
}

// TestReusedBatchID: another content under an id that was used is kept as well, and the walk
// reports it.
func TestReusedBatchID(t *testing.T) {
	s := start(t, options(t.TempDir()))
	log := "tenant/" + harness.Tenant
	all := batches(log, scene().Tenant, 40)
	for _, b := range all {
		s.send(oslo(), b)
	}
	s.send(oslo(), batch{all[0].id, all[2].body})
	s.stop()
	r := s.walk()
	found := false
	for _, f := range r.Findings {
		found = found || f.Code == finding.BatchIDReused
	}
	check.That(t, r.Batches.Conflicting == 1 && found, "%+v, %+v", r.Batches, r.Findings)
}

// TestRest: between requests the case is free for a walk, requests during one
// are put off, and the captures go on afterwards.
func TestRest(t *testing.T) {
	s := start(t, options(t.TempDir()))
	all := batches("tenant/"+harness.Tenant, scene().Tenant, 10)
	s.send(oslo(), all[0])
	must.That(t, check.Err(store.OpenWrite(s.path)) != nil, "somebody else writes to the case")
	s.rest()
	w := must.Get(store.OpenWrite(s.path))(t)
	m := message{kind: typeJSON, body: asJSON(journal()[0])}
	r, err := s.post(oslo(), m)
	check.That(t, err == nil && r.status == 503 && r.header.Get("Retry-After") == "5" &&
		decode(t, r).number == 14, "%+v, %v", r, err)
	must.Do(t, w.Close())
	s.send(oslo(), all[1])
	sources := must.Have(s.reader().Sources(t.Context()))
	check.That(t, len(sources) == 1 && sources[0].Events == 20 &&
		sources[0].Complete, "%+v", sources)
	logged := strings.Join(s.logged.all(), "\n")
	check.That(t, strings.Contains(logged, "another process is writing"), "logged %q", logged)
}

// TestReadMeanwhile: a reader of the case delays neither the sink nor its rest, and sees all
// acknowledged events.
func TestReadMeanwhile(t *testing.T) {
	s := start(t, options(t.TempDir()))
	for i, b := range batches("tenant/"+harness.Tenant, scene().Tenant, 10)[:5] {
		s.send(oslo(), b)
		c := s.reader()
		sources := must.Have(c.Sources(t.Context()))
		check.That(t, len(sources) == 1 && sources[0].Events == int64(i+1)*10, "%+v after %d batches", sources, i+1)
		if i%2 == 0 {
			s.rest()
		}
	}
}

// TestCaseIsGone: a file in place of the case is not written to, and the sink works again once
// the case is back.
func TestCaseIsGone(t *testing.T) {
	s := start(t, options(t.TempDir()))
	all := batches("tenant/"+harness.Tenant, scene().Tenant, 10)
	s.send(oslo(), all[0])
	s.rest()
	must.Do(t, os.Rename(s.path, s.path+".away"))
	must.Do(t, os.WriteFile(s.path, []byte("not a case"), 0o600))
	r, err := s.post(oslo(), message{kind: typeProto, body: all[1].body})
	check.That(t, err == nil && r.status == 503 && r.header.Get("Retry-After") == "30" &&
		!strings.Contains(string(r.body), s.path), "%+v, %v", r, err)
	must.Do(t, os.Rename(s.path+".away", s.path))
	s.send(oslo(), all[1])
}

// TestAnotherCase: a case that was exchanged gets captures of its own.
func TestAnotherCase(t *testing.T) {
	s := start(t, options(t.TempDir()))
	all := batches("tenant/"+harness.Tenant, scene().Tenant, 10)
	s.send(oslo(), all[0])
	s.rest()
	must.Do(t, os.Rename(s.path, s.path+".away"))
	for _, b := range all[1:3] {
		s.send(oslo(), b)
	}
	sources := must.Have(s.reader().Sources(t.Context()))
	check.That(t, len(sources) == 1 && sources[0].Events == 20 && sources[0].Complete, "%+v", sources)
}

// TestOpen: a file that is no case is not touched, and a case in use is refused.
func TestOpen(t *testing.T) {
	o := options(t.TempDir())
	must.Do(t, os.WriteFile(o.Case, []byte("not a case"), 0o600))
	check.That(t, check.Err(Open(o)) != nil, "opened what is no case")
	o = options(t.TempDir())
	w := must.Have(store.OpenWrite(o.Case))
	defer w.Close()
	check.That(t, check.Err(Open(o)) != nil, "opened a case that is in use")
}

// TestFilesOfTLS: which files are refused.
func TestFilesOfTLS(t *testing.T) {
	dir := t.TempDir()
	certificate, key, authority := ours().Files(dir)
	other := dir + "/other"
	must.Do(t, os.WriteFile(other, []byte("no PEM"), 0o600))
	for _, test := range []struct{ certificate, key, authority, want string }{
		{other, key, authority, "failed to find any PEM data"},
		{certificate, other, authority, "failed to find any PEM data"},
		{certificate, key, other, "expected certificates in PEM"},
		{dir + "/none", key, authority, "no such file"},
		{certificate, dir + "/none", authority, "no such file"},
		{certificate, key, dir + "/none", "no such file"},
	} {
		_, err := TLS(test.certificate, test.key, test.authority)
		check.That(t, err != nil &&
			strings.Contains(err.Error(), test.want), "%+v: %v", test, err)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o610} {
		must.Do(t, os.Chmod(key, mode))
		check.Fails(t, check.Err(TLS(certificate, key, authority)), mode.String(), "mode %#o", mode)
	}
}
