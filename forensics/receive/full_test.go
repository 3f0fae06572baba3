//go:build unix

package receive

import (
	"fmt"
	"net/http"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// limitFiles has writes beyond a size fail, as they do on a full disk.
func limitFiles(size uint64) error {
	if size == 0 {
		return nil
	}
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: size})
}

// TestFullDisk: when the case cannot grow, requests are put off, nothing that
// was acknowledged is lost, and with room again the rest is taken.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	certificate, key, ca := ours().Files(dir)
	o := order{Case: filepath.Join(dir, "case.db"), Certificate: certificate, Key: key, ClientCA: ca, FileSize: 700 << 10}
	l := live(t, o, 0)
	acked := map[int]bool{}
	fill := func() (put int) {
		for n := range chance.Sized(len(journal())/killBatch, 100) {
			if acked[n] {
				continue
			}
			body := proto(journal()[n*killBatch : (n+1)*killBatch]...)
			r, err := l.post(oslo(), message{kind: typeProto, batch: fmt.Sprint(n), body: body})
			switch {
			case err != nil:
				t.Fatal(err)
			case r.status == http.StatusOK:
				acked[n] = true
			case r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "":
				t.Fatalf("%+v", r)
			default:
				put++
			}
		}
		return put
	}
	put := fill()
	must.That(t, put != 0 && len(acked) != 0, "%d were acknowledged and %d put off", len(acked), put)
	kill := func() {
		must.Do(t, l.cmd.Process.Kill())
		_ = l.cmd.Wait() // it was killed
		l.holds(acked)
	}
	kill()
	o.FileSize = 0
	l = live(t, o, 0)
	put = fill()
	check.That(t, put == 0, "%d were put off with room for all", put)
	kill()
}
