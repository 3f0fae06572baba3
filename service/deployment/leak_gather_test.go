package deployment_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// gather keeps what node and cloud say now, and what anyone on this machine can
// see of the processes.
func (w *world) gather(when string) {
	w.t.Helper()
	dir := filepath.Join(w.Dir, "gathered", when)
	must.Do(w.t, os.MkdirAll(dir, 0o700))
	keep := func(name string, content []byte) {
		must.Do(w.t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	w.gatherAnswers(keep)
	for _, name := range w.Parts() {
		for _, what := range []string{"cmdline", "environ"} {
			if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", w.Process(name).ID(), what)); err == nil {
				keep(name+"."+what, b)
			} else if runtime.GOOS == "linux" {
				w.t.Error(err)
			}
		}
	}
}

// gatherAnswers keeps the answers of node and cloud.
func (w *world) gatherAnswers(keep func(name string, content []byte)) {
	w.t.Helper()
	keep("overview.json", seal.Canonical(w.overview()))
	for _, call := range []struct {
		file, path string
		open       func() (*httpd.Client, error)
	}{
		{"healthz.json", "/healthz", func() (*httpd.Client, error) { return w.CallNode(w.Nodes[0], "soc") }},
		{"events.json", "/v1/trust-events", func() (*httpd.Client, error) { return w.CallNode(w.Nodes[0], "soc") }},
		{"audit.json", "/api/v1/audit/events", func() (*httpd.Client, error) { return w.CallCloud("operator", "ada") }},
		{"transactions.json", "/api/v1/transactions",
			func() (*httpd.Client, error) { return w.CallCloud("operator", "ada") }},
	} {
		client := must.Get(call.open())(w.t)
		o, err := client.Do(w.t.Context(), http.MethodGet, call.path, nil)
		client.Close()
		must.Do(w.t, err)
		keep(call.file, seal.Canonical(o))
	}
	metrics := must.Get(w.metrics(w.Nodes[0]))(w.t)
	keep("metrics.txt", metrics)
}
