package httpd

import (
	"net/http"
	"slices"
	"strings"
)

// MethodNotAllowed refuses a request for its method. The answer names those that
// are allowed, in their order.
func MethodNotAllowed(methods ...string) *Problem {
	p := Refuse(http.StatusMethodNotAllowed, "method_not_allowed", "expected the method %s",
		strings.Join(methods, " or "))
	p.Allow = strings.Join(methods, ", ")
	return p
}

// OtherMethods takes the patterns of an [http.ServeMux], each "METHOD path". It
// returns what each of these paths answers to every other method, by the path
// alone, which is a pattern for all methods.
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
