//go:build linux

package bench

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// examinedAll demands an answer that is not rejected, with so many signatures that verify, and the
// verdict, unless that is "".
func examinedAll(count int, verdict string) func(b *testing.B, answer []byte) {
	return func(b *testing.B, answer []byte) {
		b.Helper()
		var w struct {
			Verdict string `json:"verdict"`
			Logs    []struct {
				Valid int `json:"signature_valid"`
			} `json:"logs"`
		}
		must.Do(b, json.Unmarshal(answer, &w))
		sum := 0
		for _, l := range w.Logs {
			sum += l.Valid
		}
		must.That(b, sum == count && w.Verdict != "rejected" && (verdict == "" || w.Verdict == verdict),
			"expected %d signatures that verify, found %d: %s", count, sum, w.Verdict)
	}
}

// ingest is a benchmark that makes a case of folders.
func (l *logs) ingest(b *testing.B, name string, folders ...string) {
	database := filepath.Join(filepath.Dir(l.dir), "case.db")
	stage(b, name, l.events, func() { must.Do(b, removeDatabase(database)) },
		call{args: append([]string{"ingest", database}, folders...)}, nil)
}

// walk is a benchmark that walks the case.
func (l *logs) walk(b *testing.B, name, verdict string, c call, more ...string) {
	database := filepath.Join(filepath.Dir(l.dir), "case.db")
	c.args = append([]string{"walk", database, "--trust", l.trust, "--output", "json"}, more...)
	c.exit = []int{0, 3}
	stage(b, name, l.events, nil, c, examinedAll(l.events, verdict))
}

// BenchmarkJournal examines a journal and the tenant log that anchors it. Its baselines are the
// pipeline that one would write first, and crypto/ed25519 alone on as many signatures. A walk
// follows the ingest that it needs.
func BenchmarkJournal(b *testing.B) {
	l := makeLogs(b, 1, *events, false)
	journal, public := filepath.Join(l.dir, "node-mesh-1.ndjson"), l.node.Public()
	inProcess(b, "naive", l.journals, func() error {
		return verifyNaively(journal, filepath.Join(filepath.Dir(l.dir), "naive.db"), public, l.journals)
	})
	inProcess(b, "bare", l.journals, func() error { return verifyBare(journal, public, l.journals) })
	l.ingest(b, "ingest", l.dir)
	l.walk(b, "walk", "verified", call{})
	l.walk(b, "again", "verified", call{})
	l.walk(b, "since", "", call{}, "--since-last")
	l.walk(b, "foreign", "", call{env: []string{"XDG_STATE_HOME=" + l.state}})
	l.ingest(b, "paired", l.dir, l.otherStore(b))
	l.walk(b, "apart", "", call{}, "--no-compare")
	l.ingest(b, "paired", l.dir, l.otherStore(b))
	l.walk(b, "compared", "verified", call{})
	l.walk(b, "compared-again", "verified", call{})
}

// verifyBare is crypto/ed25519 alone.
func verifyBare(journal string, public ed25519.PublicKey, count int) error {
	return eachLine(journal, count, func(text []byte) error {
		var line event.Line
		if !event.Scan(text, &line) ||
			!ed25519.Verify(public, trust.PAE(event.Protocol, line.Recorded[:]), line.Signature[:]) {
			return fmt.Errorf("no event with a signature that holds: %s", text)
		}
		return nil
	})
}

// otherStore is a folder with the same logs. Its files are not the same, byte for byte, so that
// each is a source of its own.
func (l *logs) otherStore(b *testing.B) string {
	b.Helper()
	folder := l.dir + "-2"
	must.Do(b, os.MkdirAll(folder, 0o700))
	for name := range l.files {
		content := must.Get(os.ReadFile(filepath.Join(l.dir, name+".ndjson")))(b)
		must.Do(b, os.WriteFile(filepath.Join(folder, name+".ndjson"), append(content, '\n'), 0o600))
	}
	return folder
}

// BenchmarkParts examines logs by workers, and by ingest and walk: four logs in a file each, and a
// thousand interleaved in one. First one worker reads everything, and then each one a share.
func BenchmarkParts(b *testing.B) {
	for _, count := range []int{4, 1000} {
		b.Run(fmt.Sprintf("logs=%d", count), func(b *testing.B) {
			l := makeLogs(b, count-1, max(*events*8/9/(count-1), 16), count > 4)
			l.ingest(b, "ingest", l.dir)
			l.walk(b, "walk", "verified", call{})
			whole := filepath.Join(filepath.Dir(l.dir), "whole.part")
			l.part(b, "part", whole, l.dir)
			l.conclude(b, "conclude", whole)
			for _, cores := range []string{"1", "2"} {
				check := []string{"check", "--trust", l.trust, "--output", "json", l.dir}
				stage(b, "check-"+cores, l.events, nil, call{args: check, env: []string{"GOMAXPROCS=" + cores}},
					examinedAll(l.events, "verified"))
			}
			l.shares(b)
		})
	}
}

// part is a benchmark of one worker.
func (l *logs) part(b *testing.B, name, out string, args ...string) {
	stage(b, name, l.events, func() { _ = os.Remove(out) }, call{args: append([]string{"part", "--trust", l.trust,
		"--temp-dir", scratch, "--jobs", "1", "--out", out}, args...)}, nil)
}

func (l *logs) conclude(b *testing.B, name string, args ...string) {
	args = append([]string{"conclude", "--trust", l.trust, "--output", "json"}, args...)
	stage(b, name, l.events, nil, call{args: args}, examinedAll(l.events, "verified"))
}

// shares plans, and has each part made and all concluded, and joined.
func (l *logs) shares(b *testing.B) {
	dir := filepath.Dir(l.dir)
	plan, joined := filepath.Join(dir, "plan.json"), filepath.Join(dir, "joined.part")
	stage(b, "plan", l.events, func() { _ = os.Remove(plan) },
		call{args: []string{"plan", "--parts", fmt.Sprint(*parts), "--out", plan, l.dir}}, nil)
	var files []string
	for i := range *parts {
		files = append(files, filepath.Join(dir, fmt.Sprintf("%04d.part", i)))
		l.part(b, fmt.Sprintf("share-%d", i), files[i], "--plan", plan, "--index", fmt.Sprint(i))
	}
	l.conclude(b, "conclude-shares", append([]string{"--plan", plan}, files...)...)
	stage(b, "join", l.events, func() { _ = os.Remove(joined) },
		call{args: append([]string{"join", "--out", joined}, files...)}, nil)
	l.conclude(b, "conclude-joined", "--plan", plan, joined)
}
