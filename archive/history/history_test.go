package history_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/history"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// key returns the nth key of these tests.
func key(t testing.TB, n byte) *sealkey.Key {
	t.Helper()
	return must.Get(sealkey.FromSeeds(fmt.Sprint("office-", n), [32]byte{n}, [32]byte{n, 1}))(t)
}

// pinned is a file of --seal-trust that pins a key for a time.
func pinned(t testing.TB, k *sealkey.Key, from, until string) *sealkey.Trust {
	t.Helper()
	doc := must.Get(sealkey.PinFile(k.Name(), k.Public(), at(from), at(until)))(t)
	return must.Get(sealkey.ParseTrust(doc))(t)
}

// at is a day; "" is no time.
func at(day string) time.Time {
	if day == "" {
		return time.Time{}
	}
	t, ok := form.Time(day + "T00:00:00.000Z")
	if !ok {
		panic(day)
	}
	return t
}

// files are the trust files of the scenes issued and rotated-keys.
func files(t testing.TB) (issued, rotated []byte) {
	t.Helper()
	all := must.Get(trustFiles())(t)
	return bytes.Clone(all["verified/issued-tx-2026-0001"]), bytes.Clone(all["verified/rotated-keys-tx-2026-0001"])
}

// trustFiles are the trust files of the conformance cases by their names.
var trustFiles = sync.OnceValues(func() (map[string][]byte, error) {
	cases, err := fixtures.Cases()
	all := map[string][]byte{}
	for _, c := range cases {
		all[c.Name] = c.Trust
	}
	return all, err
})

// made is a history of three versions.
func made(t testing.TB) history.Folder {
	t.Helper()
	f := history.Folder(filepath.Join(t.TempDir(), "history"))
	issued, rotated := files(t)
	for _, v := range []history.Version{
		{issued, at("2026-01-05"), "Ada", "first collection"},
		{rotated, at("2026-06-01"), "Ben", "second generation"},
		{issued, at("2027-01-05"), "Ada", "back"},
	} {
		must.Get(f.Add(v, key(t, 1), nil))(t)
	}
	return f
}

func verified(t testing.TB, f history.Folder, q history.Question) *history.Report {
	t.Helper()
	return must.Get(f.Verify(pinned(t, key(t, 1), "2026-01-01", ""), q))(t)
}

func TestHistory(t *testing.T) {
	f := made(t)
	r := verified(t, f, history.Question{})
	must.That(t, r.Verdict == outcome.Verified && r.Entries == 3 && len(r.Versions) == 3 && len(r.Findings) == 0, "%+v",
		r)
	v := r.Versions[1]
	check.That(t, v.By == "Ben" && v.Signer == "office-1" && v.Until == r.Versions[2].From &&
		len(v.Changes.Keys) == 5, "%+v", v)
	i := slices.IndexFunc(r.Keys, func(k history.Pinned) bool { return k.ID == "audit-2026-2" })
	k := r.Keys[i]
	check.That(t, k.PutInBy == "Ben" && k.TakenBy == "Ada" && k.PutIn == 2 && k.TakenIn == 3, "%+v", k)
	check.That(t, len(r.Keys) == 12, "%d keys and registries were pinned", len(r.Keys))
}

// TestQuestions: the version in force, the pins of a period, and the version that a file is.
func TestQuestions(t *testing.T) {
	f := made(t)
	issued, rotated := files(t)
	newest := verified(t, f, history.Question{}).Newest
	digest, _ := form.Digest(newest)
	sum := func(b []byte) *[32]byte { s := sha256.Sum256(b); return &s }
	for name, tt := range map[string]struct {
		q        history.Question
		inForce  int64
		recorded []int64
		versions int
		keys     int
		code     finding.Code
	}{
		"at the moment":  {history.Question{At: at("2026-06-01")}, 2, nil, 1, 12, ""},
		"just before":    {history.Question{At: at("2026-05-31")}, 1, nil, 1, 6, ""},
		"later":          {history.Question{At: at("2030-01-01")}, 3, nil, 1, 6, ""},
		"too early":      {history.Question{At: at("2026-01-04")}, 0, nil, 0, 0, history.HistoryNotInForce},
		"the first file": {history.Question{Trust: sum(issued)}, 0, []int64{1, 3}, 3, 12, ""},
		"the second":     {history.Question{Trust: sum(rotated)}, 0, []int64{2}, 3, 12, ""},
		"another":        {history.Question{Trust: sum([]byte("x"))}, 0, nil, 3, 12, history.HistoryCut},
		"a year":         {history.Question{From: at("2027-02-01"), Until: at("2028-01-01")}, 0, nil, 1, 6, ""},
		"before":         {history.Question{Until: at("2026-06-01")}, 0, nil, 1, 6, ""},
		"expected":       {history.Question{Expect: &digest}, 0, nil, 3, 12, ""},
		"not expected":   {history.Question{Expect: sum(nil)}, 0, nil, 3, 12, history.HistoryCut},
	} {
		r := verified(t, f, tt.q)
		var code finding.Code
		if len(r.Findings) > 0 {
			code = r.Findings[0].Code
		}
		check.That(t, r.InForce == tt.inForce && (slices.Equal(r.Recorded, tt.recorded) || len(tt.recorded) == 0) &&
			len(r.Versions) == tt.versions && len(r.Keys) == tt.keys && code == tt.code &&
			(code == "") == (r.Verdict == outcome.Verified),
			"%s: in force %d, recorded %v, %d versions, %d keys, %s, %s", name, r.InForce, r.Recorded,
			len(r.Versions), len(r.Keys), code, r.Verdict)
	}
}

// TestAddRefuses: nothing is added to a history that does not verify, or out of order.
func TestAddRefuses(t *testing.T) {
	f := made(t)
	issued, _ := files(t)
	good := history.Version{Trust: issued, From: at("2027-06-01"), By: "Ada", Reason: "again"}
	for name, tt := range map[string]struct {
		change func(*history.Version)
		key    byte
	}{
		"a file with faults": {func(v *history.Version) { v.Trust = []byte("{}") }, 1},
		"the same time":      {func(v *history.Version) { v.From = at("2027-01-05") }, 1},
		"no name":            {func(v *history.Version) { v.By = "" }, 1},
		"a control":          {func(v *history.Version) { v.Reason = "a\nb" }, 1},
		"a long reason":      {func(v *history.Version) { v.Reason = strings.Repeat("a", 1025) }, 1},
		"another key":        {func(*history.Version) {}, 2},
		"a far year":         {func(v *history.Version) { v.From = v.From.AddDate(9000, 0, 0) }, 1},
	} {
		v := good
		tt.change(&v)
		check.That(t, check.Err(f.Add(v, key(t, tt.key), nil)) != nil, "%s: added", name)
		r := verified(t, f, history.Question{})
		check.That(t, r.Entries == 3 && r.Verdict == outcome.Verified, "%s: %+v", name, r)
	}
	check.Do(t, check.Err(f.Add(good, key(t, 1), nil)))
	path := filepath.Join(string(f), history.EntriesFile)
	doc := must.Get(os.ReadFile(path))(t)
	must.Do(t, os.WriteFile(path, bytes.Replace(doc, []byte("Ben"), []byte("Bob"), 1), 0o600))
	good.From = at("2027-07-01")
	check.That(t, check.Err(f.Add(good, key(t, 1), nil)) != nil, "added to a history that was altered")
}

// TestCutLine: a last line without its end is malformed. The entries before it hold, and the
// answer states that the rest was not examined.
func TestCutLine(t *testing.T) {
	f := made(t)
	path := filepath.Join(string(f), history.EntriesFile)
	doc := must.Get(os.ReadFile(path))(t)
	must.Do(t, os.WriteFile(path, doc[:len(doc)-1], 0o600))
	r := verified(t, f, history.Question{})
	check.That(t, len(r.Findings) == 1 && r.Findings[0].Code == history.HistoryMalformed && r.Entries == 2 &&
		r.Verdict != outcome.Verified && len(r.NotExamined) != 0,
		"%s, %d entries, %+v, %v", r.Verdict, r.Entries, r.Findings, r.NotExamined)
}

// TestMissingFile: a version whose file is not kept breaks the time of its keys.
func TestMissingFile(t *testing.T) {
	f := made(t)
	_, rotated := files(t)
	must.Do(t, os.Remove(filepath.Join(string(f), history.TrustFile(sha256.Sum256(rotated)))))
	r := verified(t, f, history.Question{})
	n := 0
	for _, k := range r.Keys {
		if k.ID == "audit-2026-1" {
			n++
		}
	}
	check.That(t, r.Verdict == outcome.Inconclusive && n == 2 && !r.Versions[1].Kept && r.Versions[2].Changes == nil,
		"%s, pinned %d times, %+v", r.Verdict, n, r.Versions)
}

// TestAddAtOnce: of those who add at once, each either adds an entry that continues the
// one before it, or is refused.
func TestAddAtOnce(t *testing.T) {
	f := made(t)
	issued, _ := files(t)
	k := key(t, 1)
	var added atomic.Int64
	var workers sync.WaitGroup
	for i := range 8 {
		workers.Go(func() {
			from := at("2028-01-01").AddDate(0, 0, i)
			if _, err := f.Add(history.Version{Trust: issued, From: from, By: "Ada", Reason: "again"}, k, nil); err == nil {
				added.Add(1)
			}
		})
	}
	workers.Wait()
	r := verified(t, f, history.Question{})
	check.That(t, r.Verdict == outcome.Verified && int64(r.Entries) == 3+added.Load() &&
		added.Load() != 0, "%s, %d entries, %d added", r.Verdict, r.Entries, added.Load())
	left, err := filepath.Glob(filepath.Join(string(f), "*"))
	check.That(t, err == nil && len(left) == 3, "%v, %v", left, err)
}

// TestFolder: a history that cannot be read is an error, and not an empty history.
func TestFolder(t *testing.T) {
	_, err := history.Folder(filepath.Join(t.TempDir(), "none")).Verify(pinned(t, key(t, 1), "2026-01-01", ""),
		history.Question{})
	check.That(t, err != nil, "a history that is not there is read")
	f := made(t)
	path := filepath.Join(string(f), history.EntriesFile)
	must.Do(t, errors.Join(os.Remove(path), os.Mkdir(path, 0o700)))
	check.That(t, check.Err(f.Verify(pinned(t, key(t, 1), "2026-01-01", ""), history.Question{})) != nil,
		"a folder is read as entries")
}
