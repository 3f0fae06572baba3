package httpd

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
)

// TestOtherMethods: every method that a path does not have is refused by name of
// those that it has, before anything of the request is looked at.
func TestOtherMethods(t *testing.T) {
	answer := Handle(func(*Call) (seal.Object, error) { return seal.Object{}, nil })
	refusals := OtherMethods("GET /read", "PUT /both/{id}", "DELETE /both/{id}", "POST /write")
	mux := http.NewServeMux()
	for _, pattern := range []string{"GET /read", "PUT /both/{id}", "DELETE /both/{id}", "POST /write"} {
		mux.Handle(pattern, answer)
	}
	for path, refusal := range refusals {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { WriteProblem(w, r, refusal) })
	}
	mux.Handle("/only", ReadOnly(answer))
	allow := map[string]string{"/read": "GET, HEAD", "/both/x": "DELETE, PUT", "/write": "POST", "/only": "GET, HEAD"}
	want := map[string]int{"GET /read": 200, "HEAD /read": 200, "PUT /both/x": 400, "DELETE /both/x": 200,
		"POST /write": 400, "GET /only": 200, "HEAD /only": 200}
	got := map[string]int{}
	for path, methods := range allow {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} {
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, httptest.NewRequest(method, path, nil))
			if w.Code != http.StatusMethodNotAllowed {
				got[method+" "+path] = w.Code
			} else if found := w.Header().Get("Allow"); found != methods {
				t.Errorf("%s %s: Allow: %q, want %q", method, path, found, methods)
			}
		}
	}
	check.That(t, maps.Equal(got, want), "%v, want %v", got, want)
}
