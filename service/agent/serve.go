package agent

import (
	"context"
	"net/http"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// serve answers on the local API until the context ends. Every caller has a
// certificate of the observers' authority; the trust-event feed asks for more.
func (a *Agent) serve(ctx context.Context) error {
	local := a.config.LocalAPI
	return httpd.Serve(ctx, a.listener, httpd.ServerTLS(local.Identity.Pair(), local.Clients.Pool()), a.handler())
}

// handler is the local API: /healthz, /metrics and the trust events. Whoever
// serves it has checked the caller's certificate.
func (a *Agent) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/healthz", httpd.ReadOnly(httpd.Handle(func(*httpd.Call) (seal.Object,
		error) {
		return a.health.document(), nil
	})))
	mux.Handle("/metrics", httpd.ReadOnly(a.metrics.handler()))
	mux.Handle("/v1/trust-events", a.feed)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		httpd.WriteProblem(w, r, httpd.Refuse(http.StatusNotFound, "not_found", "there is nothing at %q", r.URL.Path))
	})
	return mux
}
