package archives

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// ofRecord is a record to verify: its file, the file that it is about, and the certificate
// file of the trusted authority, in DER.
type ofRecord struct{ record, file, certificate string }

// recordPeers are the commands of programs/records that verify.
var recordPeers = []string{"bc", "dss"}

// records runs the program in Java with Bouncy Castle and DSS.
func records(t *testing.T, args ...string) (stdout, stderr string, accepts bool) {
	t.Helper()
	folder := peers(t)
	classes := filepath.Join(folder, "records") + ":" + filepath.Join(folder, "jars", "*")
	return run(t, "java", append([]string{"-cp", classes, "-XX:TieredStopAtLevel=1", "Records"}, args...)...)
}

// judgeRecords returns a peer's answer about each record, as programs/records explains it.
func judgeRecords(t *testing.T, peer string, all []ofRecord) []string {
	t.Helper()
	args := []string{peer}
	for _, r := range all {
		args = append(args, r.record, r.file, r.certificate)
	}
	out, said, ok := records(t, args...)
	answers := strings.Split(strings.TrimSpace(out), "\n")
	must.That(t, len(answers) == len(all), "%s: %d answers about %d records: %s", peer, len(answers), len(all), said)
	refused := 0
	for _, a := range answers {
		must.That(t, strings.HasPrefix(a, "valid") || strings.HasPrefix(a, "refused "), "%s answers %q", peer, a)
		if !strings.HasPrefix(a, "valid") {
			refused++
		}
	}
	must.Equal(t, ok, refused == 0, "%s: exit status with %d refused", peer, refused)
	return answers
}

// judgedByPeers fails the test unless both peers verify each of the sound records, and refuse
// each of the bad ones. It returns the answers of each peer. A peer starts once for all of them,
// as a start costs seconds.
func judgedByPeers(t *testing.T, sound, bad []ofRecord) map[string][]string {
	t.Helper()
	answers := map[string][]string{}
	for _, peer := range recordPeers {
		answers[peer] = judgeRecords(t, peer, slices.Concat(sound, bad))
		for i, answer := range answers[peer] {
			if i < len(sound) {
				check.That(t, strings.HasPrefix(answer, "valid"), "%s about %s: %s", peer, sound[i], answer)
			} else {
				check.That(t, strings.HasPrefix(answer, "refused "), "%s about %s: %s", peer, bad[i-len(sound)], answer)
			}
		}
	}
	return answers
}

// madeRecords are the records in a folder that programs/records made, at least some.
func madeRecords(t *testing.T, folder string, least int) (all []ofRecord) {
	t.Helper()
	for _, record := range must.Get(filepath.Glob(filepath.Join(folder, "*", "*.er")))(t) {
		all = append(all, ofRecord{record, strings.TrimSuffix(record, ".er"),
			filepath.Join(filepath.Dir(record), "authority.cer")})
	}
	must.That(t, len(all) >= least, "%d records in %s", len(all), folder)
	return all
}

// recordPlaces are places of a record, by the element that a changed byte is in: its first
// hash, the signed content of each token, and the newest signature.
func recordPlaces(record []byte) map[string]int {
	places := map[string]int{"the newest signature": len(record) - 1}
	hash := bytes.Index(record, []byte{4, 32}) // of 32 bytes, or of 64
	if other := bytes.Index(record, []byte{4, 64}); hash < 0 || other >= 0 && other < hash {
		hash = other
	}
	places["the first hash"] = hash + 10
	// id-ct-TSTInfo is twice in a token: before the TSTInfo, and in the signed attributes.
	id := []byte{6, 11, 42, 134, 72, 134, 247, 13, 1, 9, 16, 1, 4}
	for n, at := 0, 0; ; n++ {
		i := bytes.Index(record[at:], id)
		if i < 0 {
			return places
		}
		at += i + len(id)
		places[fmt.Sprintf("signed part %d", n)] = at + 50
	}
}

// damagedRecords writes records and files with one byte changed, of one record in each
// folder. The names of the files have the changed part.
func damagedRecords(t *testing.T, all []ofRecord) (bad []ofRecord) {
	t.Helper()
	dir := t.TempDir()
	change := func(file, part string, at int) string {
		content := must.Get(os.ReadFile(file))(t)
		content[at] ^= 1
		changed := filepath.Join(dir, fmt.Sprintf("%d %s", len(bad), part))
		must.Do(t, os.WriteFile(changed, content, 0o600))
		return changed
	}
	for i, r := range all {
		if i > 0 && all[i-1].certificate == r.certificate {
			continue
		}
		for place, at := range recordPlaces(must.Get(os.ReadFile(r.record))(t)) {
			bad = append(bad, ofRecord{change(r.record, place, at), r.file, r.certificate})
		}
		bad = append(bad, ofRecord{r.record, change(r.file, "the file", 0), r.certificate})
	}
	return bad
}

// storedRecords is the folder of records that package record reads.
var storedRecords = filepath.Join("..", "..", "archive", "record", "testdata")

// TestRecordsOfBouncyCastle: both peers verify the records that Bouncy Castle makes,
// and refuse each with one byte changed in the file or in the record. DSS, by its own
// policy, also accepts those with revocation data.
func TestRecordsOfBouncyCastle(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "made")
	_, said, ok := records(t, "make", folder)
	must.That(t, ok, "%s", said)
	made := madeRecords(t, folder, 24)
	answers := judgedByPeers(t, made, damagedRecords(t, made))
	for i, r := range made {
		answer := answers["dss"][i]
		check.Equal(t, answer == "valid PASSED", strings.Contains(r.record, "/with-"), "%s: %s", r.record, answer)
	}
}

// TestStoredRecords: both peers verify the records that are stored, but none under
// another authority, or for a file that another record is about.
func TestStoredRecords(t *testing.T) {
	folder := filepath.Join(storedRecords, "bouncycastle")
	all := madeRecords(t, folder, 24)
	by := map[string]ofRecord{}
	for _, r := range all {
		by[filepath.ToSlash(must.Get(filepath.Rel(folder, r.file))(t))] = r
	}
	one, other, ec := by["several-sha256/file-1"], by["several-sha256/file-2"], by["one-sha256/file-1"]
	ofSameAuthority := ofRecord{other.record, other.file, by["one-rsa/file-1"].certificate}
	judgedByPeers(t, append(all, ofSameAuthority), []ofRecord{
		{one.record, one.file, ec.certificate},
		{ec.record, ec.file, one.certificate},
		{one.record, other.file, one.certificate},
	})
}

// TestSpoiledRecords: both peers look at every token and every chain, not only at the
// newest.
func TestSpoiledRecords(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "spoiled")
	_, said, ok := records(t, "spoil", folder)
	must.That(t, ok, "%s", said)
	all := append(madeRecords(t, folder, 5), madeRecords(t, filepath.Join(storedRecords, "spoiled"), 5)...)
	var sound, bad []ofRecord
	for _, r := range all {
		if strings.HasPrefix(filepath.Base(filepath.Dir(r.record)), "right") {
			sound = append(sound, r)
		} else {
			bad = append(bad, r)
		}
	}
	judgedByPeers(t, sound, bad)
}
