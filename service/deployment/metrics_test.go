package deployment_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// counts has certificates issued: over all nodes each counts once.
func (w *world) counts() {
	w.t.Helper()
	for range 3 {
		w.issue()
	}
	must.EventuallyOK(w.t, "the count of certificates", func() error {
		sum := 0
		for _, id := range w.Nodes {
			n, err := w.metric(id, "svc_node_certificates_issued_total")
			if err != nil {
				return err
			}
			sum += n
		}
		if sum != 3 {
			return fmt.Errorf("it is %d, want 3", sum)
		}
		return nil
	})
}

// metric is a series without labels of a node's metrics.
func (w *world) metric(id, name string) (int, error) {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(must.Get(os.ReadFile(filepath.Join(w.Dir, "authorities", "local.pem")))(w.t))
	file := w.Client("observer", "prometheus")
	identity := must.Get(tls.LoadX509KeyPair(file, strings.TrimSuffix(file, ".pem")+".key"))(w.t)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs: roots, Certificates: []tls.Certificate{identity}, MinVersion: tls.VersionTLS13,
	}}}
	defer client.CloseIdleConnections()
	answer, err := client.Get("https://" + w.At[id] + "/metrics")
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	b := must.Get(io.ReadAll(answer.Body))(w.t)
	_, rest, found := strings.Cut(string(b), "\n"+name+" ")
	if !found {
		return 0, fmt.Errorf("%s has no %s", id, name)
	}
	var n int
	_, err = fmt.Sscan(rest, &n)
	return n, err
}

// keepers are the files that are meant to hold secrets.
var keepers = []string{
	"*/*.key", "*/*/*.key", "*/*/*/*.key", "*/*.token", // keys and tokens, each with its owner
	"store/secrets.json", // the secret store
	"cloud/state/signer.keys",
	"nodes/*/state/state.db*", // holds a key until its certificate is promoted
}

// leaksNothing ends the deployment, and holds that no file has a token, or a line of
// a private key, but those that are there for it.
func (w *world) leaksNothing() {
	w.t.Helper()
	must.Do(w.t, w.Stop()) // so that all is written
	var secrets []string
	others := map[string]string{}
	must.Do(w.t, filepath.WalkDir(w.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		name := must.Get(filepath.Rel(w.Dir, path))(w.t)
		content := string(must.Get(os.ReadFile(path))(w.t))
		if !slices.ContainsFunc(keepers, func(pattern string) bool { return must.Have(filepath.Match(pattern, name)) }) {
			others[name] = content
			return nil
		}
		if extension := filepath.Ext(name); extension == ".key" || extension == ".token" {
			for line := range strings.Lines(content) {
				if !strings.HasPrefix(line, "-----") {
					secrets = append(secrets, strings.TrimSpace(line))
				}
			}
		}
		return nil
	}))
	for name, content := range others {
		check.That(w.t, !strings.Contains(content, "PRIVATE KEY"), "%s holds a private key", name)
		for _, secret := range secrets {
			check.That(w.t, !strings.Contains(content, secret), "%s holds a secret", name)
		}
	}
	check.That(w.t, len(secrets) >= 20 && len(others) >= 20, "%d secrets and %d files are too few",
		len(secrets), len(others))
}
