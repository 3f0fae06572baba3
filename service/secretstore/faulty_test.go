package secretstore_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/kv/kvtest"
)

// proxy stands between the node and the store, and spoils one request.
type proxy struct {
	t       *testing.T
	target  place
	number  int // of requests so far, from 1 on
	spoiled int // which is spoiled, 0 for none
	spoil   func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte)
	methods []string // of all requests
}

// spoilers are what a line and what stands on it can do to a request. Where the
// request reaches the store, it does so before the node has an answer.
var spoilers = map[string]func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte){
	"reset before": func(_ *proxy, w http.ResponseWriter, _ *http.Request, _ []byte) { reset(w) },
	"reset after": func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		p.forward(r, body)
		reset(w)
	},
	"502 before": func(_ *proxy, w http.ResponseWriter, _ *http.Request,
		_ []byte) {
		w.WriteHeader(http.StatusBadGateway)
	},
	"502 after": func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		p.forward(r, body)
		w.WriteHeader(http.StatusBadGateway)
	},
	"sealed": func(_ *proxy, w http.ResponseWriter, _ *http.Request, _ []byte) {
		answerJSON(w, http.StatusServiceUnavailable, `{"errors":["Vault is sealed"]}`)
	},
	"permission denied": func(_ *proxy, w http.ResponseWriter, _ *http.Request, _ []byte) {
		answerJSON(w, http.StatusForbidden, `{"errors":["1 error occurred:\n\t* permission denied\n\n"]}`)
	},
	"permission denied, but done": func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		p.forward(r, body)
		answerJSON(w, http.StatusForbidden, `{"errors":["1 error occurred:\n\t* permission denied\n\n"]}`)
	},
	"bad request, but done": func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		p.forward(r, body)
		answerJSON(w, http.StatusBadRequest, `{"errors":["no"]}`)
	},
	"conflict, not done": func(_ *proxy, w http.ResponseWriter, _ *http.Request, _ []byte) {
		answerJSON(w, http.StatusBadRequest, `{"errors":["check-and-set parameter did not match the current version"]}`)
	},
	"absent, but there": func(_ *proxy, w http.ResponseWriter, _ *http.Request, _ []byte) {
		answerJSON(w, http.StatusNotFound, `{"errors":[]}`)
	},
	"garbage": func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		p.forward(r, body)
		answerJSON(w, http.StatusOK, `{"data":`)
	},
	"an empty object": func(_ *proxy, w http.ResponseWriter, _ *http.Request,
		_ []byte) {
		answerJSON(w, http.StatusOK, `{}`)
	},
	"another version": func(_ *proxy, w http.ResponseWriter, _ *http.Request, _ []byte) {
		answerJSON(w, http.StatusOK,
			`{"data":{"version":77,"created_time":"2026-03-02T09:00:00.5Z","deletion_time":"","destroyed":false}}`)
	},
	"cut off": func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		status, doc := p.forward(r, body)
		w.Header().Set("Content-Length", fmt.Sprint(len(doc)+1))
		answerJSON(w, status, string(doc))
	},
	"twice": func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		p.forward(r, body)
		status, doc := p.forward(r, body)
		answerJSON(w, status, string(doc))
	},
	"twice, the first answer": func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		status, doc := p.forward(r, body)
		p.forward(r, body)
		answerJSON(w, status, string(doc))
	},
	"late": func(p *proxy, w http.ResponseWriter, r *http.Request, body []byte) {
		p.forward(r, body)
		<-r.Context().Done() // the node has given up
		reset(w)
	},
}

func answerJSON(w http.ResponseWriter, status int, doc string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, doc)
}

// reset ends a connection without an answer.
func reset(http.ResponseWriter) { panic(http.ErrAbortHandler) }

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		reset(w)
	}
	p.number++
	p.methods = append(p.methods, r.Method)
	if p.number == p.spoiled {
		p.spoil(p, w, r, body)
		return
	}
	status, doc := p.forward(r, body)
	answerJSON(w, status, string(doc))
}

// forward has the store do what was asked.
func (p *proxy) forward(r *http.Request, body []byte) (int, []byte) {
	url := p.target.origin + r.URL.RequestURI()
	request, err := http.NewRequest(r.Method, url, bytes.NewReader(body)) //nolint:gosec // to the store of the test
	if err != nil {
		p.t.Error(err)
		return http.StatusBadGateway, nil
	}
	request.Header = r.Header.Clone()
	request.Header.Del("Accept-Encoding")
	response, err := p.target.http.Do(request) //nolint:gosec // likewise
	if err != nil {
		p.t.Error(err)
		return http.StatusBadGateway, nil
	}
	defer response.Body.Close()
	doc, err := io.ReadAll(response.Body)
	check.Do(p.t, err)
	return response.StatusCode, doc
}

// behind is a world whose node speaks with the store through a proxy.
func (m *maker) behind(t *testing.T, b kvtest.Backend) (*world, *proxy) {
	t.Helper()
	w := m.real(t, b)
	p := &proxy{t: t, target: w.place}
	authority := testca.New("proxy")
	server := httptest.NewUnstartedServer(p)
	server.TLS = serverTLS(authority)
	server.StartTLS()
	t.Cleanup(server.Close)
	w.settings.Address = server.URL
	w.settings.Authorities.Certificates[0] = authority.Certificate
	return w, p
}

// shortStory is the bootstrap, a rotation that is promoted, and one that is not.
func (w *world) shortStory() {
	w.t.Helper()
	w.settle()
	for n, mode := range []string{follows, reloadFails} {
		w.service.tell(mode)
		code := w.deliver(deliveryNumber(n+1, true))
		if gone := w.tampered && code == adapter.StateInvalid; !gone && !slices.Contains(faultCodes, code) {
			w.t.Errorf("the rotation ended with %s", code)
		}
		w.settle()
	}
}

// TestFaultyLine spoils each request of a story in each way. Whatever the node
// believes for a moment, all is well in the end.
func TestFaultyLine(t *testing.T) {
	t.Parallel()
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		m := newMaker(t)
		w, p := m.behind(t, b)
		w.shortStory()
		methods := p.methods
		n := 0
		for _, name := range slices.Sorted(maps.Keys(spoilers)) {
			for i, method := range methods {
				if n++; n%few(b, 29, 83) != 0 || method == http.MethodGet && name == "late" {
					continue
				}
				t.Run(fmt.Sprintf("%s at %d %s", name, i+1, method), func(t *testing.T) {
					w, p := m.behind(t, b)
					p.spoiled, p.spoil = i+1, spoilers[name]
					w.tampered = name == "absent, but there" // to the node, it has come back
					if name == "late" {
						w.settings.RequestTimeout = 2 * time.Second
					}
					w.shortStory()
					w.settings.RequestTimeout = time.Minute
					w.epilogue()
				})
			}
		}
	})
}

// TestAwayWhilePromoting: the store goes away for good in the middle of a
// promotion. The node says that a recovery is pending until it is back.
func TestAwayWhilePromoting(t *testing.T) {
	m := newMaker(t)
	for _, at := range []string{"move", "probe", "restore"} {
		t.Run(at, func(t *testing.T) {
			w := m.memory(t).atRest()
			before := w.active()
			w.service.tell(stuck)
			w.script = func(p point) outcome {
				w.line.down = w.line.down || p.name == at
				return fine
			}
			d := deliveryNumber(2, true)
			want := map[string]string{"move": adapter.StoreUnavailable}[at]
			if want == "" {
				want = adapter.PromotionUnconfirmed
			}
			check.Equal(t, w.deliver(d), want, "delivered with")
			w.script = nil
			w.expect(adapter.RecoveryPending)
			check.Equal(t, adapter.CodeOf(w.call(promoteOnce(d))), adapter.RecoveryPending, "promoted again with")
			w.start()
			w.expect(adapter.RecoveryPending)
			w.line.down = false
			w.expect("")
			check.Equal(t, w.active(), before, "is in use")
			w.epilogue()
		})
	}
}
