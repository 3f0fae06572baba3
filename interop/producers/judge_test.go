package producers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// walked contains the results of a walk that are judged.
type walked struct {
	code    int // the exit code
	Verdict string
	Logs    []struct {
		LogID          string `json:"log_id"`
		Events         int
		HashValid      int `json:"hash_valid"`
		SignatureValid int `json:"signature_valid"`
	}
	Findings []finding
}

type finding struct {
	Code, Severity, Message string
	Evidence                []struct{ Source string }
}

// examine ingests a folder and walks the case.
func (b *bench) examine(t *testing.T, folder string) (w walked, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "case.db")
	b.run(t, "ingest", file, "--quiet", folder)
	out, code := b.run(t, "walk", file, "--trust", filepath.Join(b.root, "trust.json"), "--output", "json")
	if err := json.Unmarshal(out, &w); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w.code = code
	return w, file
}

// events is how many events of the journal were found, whose hash and signature hold.
func (w walked) events() int {
	if len(w.Logs) != 1 {
		return 0
	}
	l := w.Logs[0]
	return min(l.Events, l.HashValid, l.SignatureValid)
}

// checkClean judges the output for the genuine journal.
func (b *bench) checkClean(t *testing.T, f form, folder string) []string {
	t.Helper()
	w, file := b.examine(t, folder)
	count := len(b.journal.signatures)
	rest := count - f.lost
	switch f.keeps {
	case octets, values:
		if w.code != 0 || w.Verdict != "verified" || w.events() != count {
			return say("clean: %s; expected all %d verified%s", w.result(), count, w.says())
		}
		if out, _ := b.run(t, "export", file, "--log", b.journal.log); !bytes.Equal(out, b.journal.genuine) {
			return say("clean: the exported journal is not the one that went in")
		}
	case less:
		if w.code == 0 || w.events() != rest {
			return say("clean: %s; expected %d, as %s%s", w.result(), rest, f.loses, w.says())
		}
	case broken:
		// A mended line is right, and any other leaves the verdict open.
		if w.code != 3 && (w.code != 0 || w.events() != count) {
			return say("clean: %s; expected nothing that is false%s", w.result(), w.says())
		}
	case sealed:
		if w.code != 3 || !w.found("source.unknown-format", "source.unparseable-record", "event.not-read") {
			return say("clean: %s; expected a file that is named%s", w.result(), w.says())
		}
	}
	return nil
}

// checkAltered judges the output for the altered journal.
func (b *bench) checkAltered(t *testing.T, f form, folder string) []string {
	t.Helper()
	if f.keeps == sealed {
		return nil
	}
	w, _ := b.examine(t, folder)
	if f.keeps == broken && w.code == 3 {
		return nil
	}
	if w.code != 1 || w.Verdict != "rejected" {
		return say("altered: %s; expected to be rejected%s", w.result(), w.says())
	}
	for _, found := range w.Findings {
		for _, e := range found.Evidence {
			if found.Code == "event.hash-mismatch" && strings.HasPrefix(e.Source, folder) {
				return nil
			}
		}
	}
	return say("altered: no finding says that a hash does not hold, and where%s", w.says())
}

// checkCut cuts one of the files, and judges the rest. It changes the folder.
func (b *bench) checkCut(t *testing.T, f form, folder string) (wrong []string) {
	t.Helper()
	whole := b.cut(t, f, folder)
	w, _ := b.examine(t, folder)
	if w.code == 0 || w.Verdict == "verified" || w.Verdict == "rejected" && f.keeps != less {
		wrong = append(wrong, say("cut: %s; expected to be inconclusive%s", w.result(), w.says())...)
	}
	if whole >= 0 && w.events() != whole {
		wrong = append(wrong, say("cut: %d events; expected the %d that are whole%s", w.events(), whole, w.says())...)
	}
	for _, found := range w.Findings {
		damage := strings.HasPrefix(found.Code, "source.") && found.Code != "source.no-record"
		if len(found.Evidence) > 0 && (damage || found.Code == "event.not-read") {
			return wrong
		}
	}
	return append(wrong, say("cut: no finding says where%s", w.says())...)
}

// cut cuts a file, and returns how many events are whole then, or -1 if that depends
// on the form.
func (b *bench) cut(t *testing.T, f form, folder string) int {
	t.Helper()
	contents := map[string][]byte{}
	for _, path := range files(t, folder) {
		contents[path] = read(t, path)
	}
	if f.cut == inside {
		path := largest(contents)
		write(t, path, contents[path][:len(contents[path])*3/5])
		return -1
	}
	path, at := b.middle(t, contents)
	before, after := contents[path], contents[path][:at+10]
	write(t, path, after)
	contents[path] = after
	if f.keeps >= less {
		return -1
	}
	whole := len(b.journal.signatures)
	for _, signature := range b.journal.signatures {
		elsewhere := slices.ContainsFunc(slices.Collect(maps.Values(contents)), func(content []byte) bool {
			return bytes.Contains(content, signature)
		})
		if bytes.Contains(before, signature) && !elsewhere {
			whole--
		}
	}
	return whole
}

// middle is where the signature of an event near the end is for the first time.
func (b *bench) middle(t *testing.T, contents map[string][]byte) (path string, at int) {
	t.Helper()
	signature := b.journal.signatures[len(b.journal.signatures)*4/5]
	for _, path := range slices.Sorted(maps.Keys(contents)) {
		if at := bytes.Index(contents[path], signature); at >= 0 {
			return path, at
		}
	}
	t.Fatal("cut: no file has the signature of an event in the clear")
	return "", 0
}

// largest is the path of the longest content.
func largest(contents map[string][]byte) string {
	return slices.MaxFunc(slices.Sorted(maps.Keys(contents)), func(a, b string) int {
		return len(contents[a]) - len(contents[b])
	})
}

func (w walked) found(codes ...string) bool {
	for _, f := range w.Findings {
		if slices.Contains(codes, f.Code) {
			return true
		}
	}
	return false
}

// say returns one sentence about a fault.
func say(format string, values ...any) []string { return []string{fmt.Sprintf(format, values...)} }

// result is the answer of a walk.
func (w walked) result() string {
	return fmt.Sprintf("exit code %d, %s, %d events", w.code, w.Verdict, w.events())
}

// says returns the findings, for the message of a failure.
func (w walked) says() string {
	var all strings.Builder
	for _, f := range w.Findings[:min(len(w.Findings), 6)] {
		all.WriteString("\n    " + f.Code + ": " + f.Message[:min(len(f.Message), 300)])
	}
	return all.String()
}
