package collector

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestRotation: files are put away before they become too large, also after a
// restart, and a line that a crash has torn is cut off.
func TestRotation(t *testing.T) {
	b := newBench(t, 1000)
	var want []string
	send := func(n int) {
		for range n {
			body := fmt.Sprint(len(want), strings.Repeat("x", 100))
			want = append(want, "id "+body)
			status, _, text := b.post(t.Context(), b.client, "id", request(t, body))
			must.That(t, status == 200, "%v %v", status, text)
		}
	}
	send(20)
	must.Do(b, b.Close())
	torn, err := os.OpenFile(b.File, os.O_APPEND|os.O_WRONLY, 0)
	must.Do(b, err)
	_, err = torn.WriteString(`{"resourceLogs":[{`)
	must.Do(b, errors.Join(err, torn.Close()))
	b.start(b.Config)
	send(20)
	got := b.kept()
	check.That(t, fmt.Sprint(got) == fmt.Sprint(want), "kept %q", got)
	names := must.Get(filepath.Glob(filepath.Join(filepath.Dir(b.File), "*")))(b)
	check.That(t, len(names) >= 5, "only the files %q", names)
	for _, name := range names {
		info := must.Get(os.Stat(name))(b)
		check.That(t, info.Size() <= 1000 && info.Mode().Perm() == 0o600,
			"%s: %d bytes, %s", name, info.Size(), info.Mode())
	}
}

// TestLineLargerThanAFile has a file of its own.
func TestLineLargerThanAFile(t *testing.T) {
	b := newBench(t, 10)
	for i := range 3 {
		status, _, _ := b.post(t.Context(), b.client, "id", request(t, fmt.Sprint(i)))
		must.That(t, status == 200, "%v", status)
	}
	got := fmt.Sprint(b.kept())
	check.That(t, got == "[id 0 id 1 id 2]", "%v", got)
	check.Do(t, check.Err(os.Stat(strings.TrimSuffix(b.File, ".jsonl")+"-000002.jsonl")))
}

// TestDiskFails: what could not be written is not acknowledged.
func TestDiskFails(t *testing.T) {
	b := newBench(t, 1<<20)
	must.Do(b, b.file.f.Close())
	status, _, _ := b.post(t.Context(), b.client, "id", request(t, "a"))
	check.That(t, status == http.StatusServiceUnavailable, "%v", status)
	n := b.Counts()
	check.That(t, n.Records == 0, "%+v", n)
}
