package httpd

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Problem is an error of the service, RFC 9457. Code is one of service/docs/service.md.
type Problem struct {
	Status int
	Code   string
	Detail string // one sentence
	// Received and Required are how much of a quorum is there; both are 0 where
	// no quorum is short.
	Received, Required int64
	// IntegrationCode is the error code of the integration that is why a rotation
	// is refused, empty if there is none.
	IntegrationCode string
	// Allow are the methods that the path has, with commas between them, where
	// another one was used.
	Allow string
}

// Error returns code and detail.
func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

// Refuse returns a problem.
func Refuse(status int, code, format string, args ...any) *Problem {
	return &Problem{Status: status, Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Forbidden refuses a caller, or a caller's act in the name of another.
func Forbidden(format string, args ...any) *Problem {
	return Refuse(http.StatusForbidden, "identity_refused", format, args...)
}

// Invalid refuses a request for its form.
func Invalid(format string, args ...any) *Problem {
	return Refuse(http.StatusBadRequest, "request_invalid", format, args...)
}

// retryAfter is for problems that pass by themselves, in seconds.
const retryAfter = 5

func (p *Problem) document() seal.Object {
	o := seal.Object{
		"type": "about:blank", "title": http.StatusText(p.Status), "status": int64(p.Status), "code": p.Code,
		"detail": p.Detail,
	}
	if p.Required > 0 {
		o["received"], o["required"] = p.Received, p.Required
	}
	if p.IntegrationCode != "" {
		o["integration_error_code"] = p.IntegrationCode
	}
	return o
}

// problemOf reads a problem document; one that is none becomes a problem of its
// status.
func problemOf(status int, body []byte) *Problem {
	o, err := seal.Parse(body)
	if err != nil || seal.Text(o, "code") == "" {
		return Refuse(status, "unavailable", "the answer %d is no problem document", status)
	}
	return &Problem{
		Status: status, Code: seal.Text(o, "code"), Detail: seal.Text(o, "detail"),
		Received: seal.Integer(o, "received"), Required: seal.Integer(o, "required"),
		IntegrationCode: seal.Text(o, "integration_error_code"),
	}
}

// WriteProblem answers with an error. An error that is not a [Problem] is logged, and hidden
// from the caller.
func WriteProblem(w http.ResponseWriter, r *http.Request, err error) {
	var p *Problem
	if !errors.As(err, &p) {
		slog.ErrorContext(r.Context(), "internal error", "method", r.Method, "path", r.URL.Path, "error", err.Error())
		p = Refuse(http.StatusInternalServerError, "internal", "the request could not be worked on")
	}
	if p.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
	}
	if p.Status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", p.Allow)
	}
	writeDocument(w, p.Status, typeProblem, p.document())
}

func writeDocument(w http.ResponseWriter, status int, kind string, document seal.Object) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	// A caller that is gone asks again.
	_, _ = w.Write(seal.Line(document))
}

// MethodNotAllowed refuses a request for its method. The answer names those that
// are allowed, in their order.
func MethodNotAllowed(methods ...string) *Problem {
	p := Refuse(http.StatusMethodNotAllowed, "method_not_allowed", "expected the method %s",
		strings.Join(methods, " or "))
	p.Allow = strings.Join(methods, ", ")
	return p
}

// OtherMethods accepts the patterns of an [http.ServeMux], each "METHOD path". It returns the
// answer of each of these paths to every other method, by the path alone, which is a pattern
// for all methods.
func OtherMethods(patterns ...string) map[string]*Problem {
	methods := map[string][]string{}
	for _, pattern := range patterns {
		method, path, _ := strings.Cut(pattern, " ")
		methods[path] = append(methods[path], method)
		if method == http.MethodGet {
			methods[path] = append(methods[path], http.MethodHead)
		}
	}
	refusals := map[string]*Problem{}
	for path, list := range methods {
		slices.Sort(list)
		refusals[path] = MethodNotAllowed(list...)
	}
	return refusals
}

// Reads reports whether a request has a method that only reads.
func Reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// ReadOnly lets only GET and HEAD through to a handler.
func ReadOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !Reads(r) {
			WriteProblem(w, r, MethodNotAllowed(http.MethodGet, http.MethodHead))
			return
		}
		next.ServeHTTP(w, r)
	})
}
