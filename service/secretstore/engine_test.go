package secretstore_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/kv"
	"github.com/svc-edge/svc-verify/service/kv/kvtest"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/secretstore"
)

// inProcess hands requests to an engine without a socket.
type inProcess struct{ engine http.Handler }

func (i inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	recorder := httptest.NewRecorder()
	i.engine.ServeHTTP(recorder, r)
	return recorder.Result(), nil
}

// place is the location of records in an engine, with a test's access to it.
type place struct {
	origin      string
	mount, base string
	http        *http.Client
	root        string
	authority   *testca.Authority // nil for an engine without a socket
	token       func(rules ...kv.Rule) string
}

const (
	testMount = "kv"
	rootToken = "root"
)

// memoryPlace is a new embedded engine without a socket.
func memoryPlace(t tester) place {
	engine, err := kv.Open(kv.Config{Mount: testMount})
	must.Do(t, err)
	allow := func(name string, rules ...kv.Rule) string {
		must.Do(t, engine.Allow(name, rules...))
		return name
	}
	allow(rootToken, kvtest.AdministratorRules()...)
	return place{
		origin: "https://store.example", mount: testMount, base: "edge/payments", root: rootToken,
		http:  &http.Client{Transport: inProcess{engine}},
		token: func(rules ...kv.Rule) string { return allow(rand.Text(), rules...) },
	}
}

// answer is an engine's answer, as far as tests read it.
type answer struct {
	Status int
	Errors []string
	Data   json.RawMessage
}

// client is a client of the engine with these settings.
func (p place) client(s *nodeconfig.SecretStore) *secretstore.Client {
	if p.authority == nil {
		return secretstore.NewClientOver(s, p.http.Transport)
	}
	return secretstore.NewClient(s)
}

// call is one request, with a token.
func (p place) call(ctx context.Context, method, token, path string, body any) (answer, error) {
	var document []byte
	if body != nil {
		document, _ = json.Marshal(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, p.origin+"/v1/"+path, bytes.NewReader(document))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("X-Vault-Token", token)
	response, err := p.http.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	a := answer{Status: response.StatusCode}
	if err == nil && len(b) > 0 {
		err = json.Unmarshal(b, &a)
	}
	return a, err
}

// admin does something as the store's administrator. A refusal is a fault of the test, unless
// nothing is there or the store is sealed.
func (p place) admin(t tester, method, kind, path string, body any) answer {
	a, err := p.call(context.Background(), method, p.root, p.mount+"/"+kind+"/"+p.base+"/"+path, body)
	if err != nil || a.Status >= 300 && a.Status != http.StatusNotFound && a.Status != http.StatusServiceUnavailable {
		t.Fatalf("%s %s %s: %v, %v", method, kind, path, a, err)
	}
	return a
}

// version is a version of a record. Its number is 0 if there is none.
type version struct {
	number  int64
	created string
	deleted bool
	record  seal.Object // nil if it was deleted
}

// read returns a version of a record, the newest for 0.
func (p place) read(t tester, path string, number int64) version {
	query := path
	if number > 0 {
		query = fmt.Sprintf("%s?version=%d", path, number)
	}
	v, err := versionOf(p.admin(t, "GET", "data", query, nil))
	must.OK(t, err, "%s", path)
	return v
}

func versionOf(a answer) (version, error) {
	if len(a.Data) == 0 || string(a.Data) == "null" {
		return version{}, nil
	}
	var d struct {
		Data     json.RawMessage
		Metadata struct {
			Version   int64
			Created   string `json:"created_time"`
			Deleted   string `json:"deletion_time"`
			Destroyed bool
		}
	}
	if err := json.Unmarshal(a.Data, &d); err != nil {
		return version{}, err
	}
	v := version{number: d.Metadata.Version, created: d.Metadata.Created, deleted: d.Metadata.Deleted != "" ||
		d.Metadata.Destroyed}
	if string(d.Data) == "null" {
		return v, nil
	}
	document, err := seal.Parse(d.Data)
	v.record = document
	return v, err
}

// metadata returns the engine's metadata of the newest version of a record.
func (p place) metadata(t tester, path string) version {
	m, err := currentOf(p.admin(t, "GET", "metadata", path, nil))
	must.OK(t, err, "%s", path)
	return version{number: m.Version, created: m.Created, deleted: m.Deleted}
}

// currentOf is the current version, with the number 0 if there is none.
func currentOf(a answer) (secretstore.Metadata, error) {
	if len(a.Data) == 0 || string(a.Data) == "null" {
		return secretstore.Metadata{}, nil
	}
	var m struct {
		Current  int64 `json:"current_version"`
		Versions map[string]struct {
			Created   string `json:"created_time"`
			Deleted   string `json:"deletion_time"`
			Destroyed bool
		}
	}
	err := json.Unmarshal(a.Data, &m)
	v := m.Versions[fmt.Sprint(m.Current)]
	return secretstore.Metadata{Version: m.Current, Created: v.Created, Deleted: v.Deleted != "" || v.Destroyed}, err
}

// Operations of an administrator on a record.

func (p place) put(t tester, path string, record seal.Object) {
	p.admin(t, "POST", "data", path, map[string]any{"data": record})
}

func (p place) softDelete(t tester, path string) { p.admin(t, "DELETE", "data", path, nil) }

func (p place) undelete(t tester, path string, number int64) {
	p.admin(t, "POST", "undelete", path, map[string]any{"versions": []int64{number}})
}

func (p place) destroy(t tester, path string, number int64) {
	p.admin(t, "POST", "destroy", path, map[string]any{"versions": []int64{number}})
}

func (p place) forget(t tester, path string) { p.admin(t, "DELETE", "metadata", path, nil) }

// placeOf is a place in the engine of a backend.
func placeOf(t *testing.T, b kvtest.Backend) place {
	return place{
		origin: b.Address, mount: b.Mount, base: "edge/payments", root: b.RootToken, authority: b.Authority,
		http: b.Authority.HTTP(), token: func(rules ...kv.Rule) string { return b.Token(t, rules...) },
	}
}
