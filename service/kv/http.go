package kv

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxBody = 1 << 20 // of a request, in bytes; Vault accepts 32 MiB
	maxPath = 1 << 10 // of a request's path, in bytes
	// namespace is the header of a namespace.
	namespace = "X-Vault-Namespace"
)

// answer is the answer to a request: a document with data, with errors, or no document at all.
type answer struct {
	status int
	data   any
	errors []string
	allow  []string // the methods that the path has, where another one was used
}

func foundAnswer(data any) answer { return answer{status: http.StatusOK, data: data} }

func doneAnswer() answer { return answer{status: http.StatusNoContent} }

func failWith(status int, errs ...string) answer {
	return answer{status: status, errors: append([]string{}, errs...)}
}

// absentAnswer is the answer for a path at which there is nothing.
func absentAnswer() answer { return failWith(http.StatusNotFound) }

// wrappedAnswer returns an error in the form in which Vault writes a list of errors.
func wrappedAnswer(status int, text string) answer {
	return failWith(status, "1 error occurred:\n\t* "+text+"\n\n")
}

func deniedAnswer() answer { return wrappedAnswer(http.StatusForbidden, "permission denied") }

func unsupportedAnswer(methods []string) answer {
	a := wrappedAnswer(http.StatusMethodNotAllowed, "unsupported operation")
	a.allow = methods
	return a
}

// noSuchPath is the answer for a path that no engine of this kind has.
func noSuchPath() answer { return answer{status: http.StatusNotFound} }

// envelope is the document around data.
type envelope struct {
	ID        string   `json:"request_id"`
	LeaseID   string   `json:"lease_id"`
	Renewable bool     `json:"renewable"`
	Duration  int      `json:"lease_duration"`
	Data      any      `json:"data"`
	Wrap      *string  `json:"wrap_info"`
	Warnings  []string `json:"warnings"`
	Auth      *string  `json:"auth"`
}

// writeAnswer sends an answer.
func writeAnswer(w http.ResponseWriter, a answer) {
	if a.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", strings.Join(a.allow, ", "))
	}
	switch {
	case a.errors != nil:
		writeJSON(w, a.status, map[string][]string{"errors": a.errors})
	case a.status == http.StatusNoContent:
		setHeaders(w)
		w.WriteHeader(a.status)
	default:
		e := envelope{ID: requestID(), Data: a.data}
		if a.data == nil {
			e.Warnings = []string{"a KV version 2 engine has no such path"}
		}
		writeJSON(w, a.status, e)
	}
}

func setHeaders(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
}

func writeJSON(w http.ResponseWriter, status int, document any) {
	setHeaders(w)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(document) // a caller that went away is no fault
}

// requestID is a random UUID.
func requestID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // which never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// call is a request for something below a mount or about a token.
type call struct {
	operation string // a capability, or "" for a method that has none
	path      string // without /v1/
	version   string // the query parameter
	token     string
	body      map[string]json.RawMessage
}

// ServeHTTP answers a request. Addresses that are not canonical are redirected to
// the one that is.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.mux.ServeHTTP(w, r) }

// serve answers requests other than health and seal status.
func (e *Engine) serve(w http.ResponseWriter, r *http.Request) {
	// Namespaces are a feature of Vault Enterprise: without it they are only echoed.
	if name := r.Header.Get(namespace); name != "" {
		w.Header().Set(namespace, name)
	}
	c, refusal := readCall(w, r)
	if refusal != nil {
		writeAnswer(w, *refusal)
		return
	}
	writeAnswer(w, e.answer(c))
}

// readCall reads a request. The answer is nil unless it cannot be read.
func readCall(w http.ResponseWriter, r *http.Request) (*call, *answer) {
	c := &call{operation: capabilityOf(r), path: strings.TrimPrefix(r.URL.Path, "/v1/"),
		version: r.URL.Query().Get("version"), token: tokenOf(r.Header)}
	refuse := func(status int, text string) (*call, *answer) {
		a := failWith(status, text)
		return nil, &a
	}
	if len(c.path) > maxPath || !utf8.ValidString(c.path) || strings.ContainsFunc(c.path,
		func(r rune) bool { return !unicode.IsPrint(r) }) {
		return refuse(http.StatusBadRequest, fmt.Sprintf("expected a printable path of at most %d bytes", maxPath))
	}
	if c.operation != Update {
		return c, nil
	}
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return refuse(http.StatusRequestEntityTooLarge, fmt.Sprintf("expected a body of at most %d bytes", maxBody))
	case err != nil || len(b) > 0 && json.Unmarshal(b, &c.body) != nil:
		return refuse(http.StatusBadRequest, "error parsing JSON")
	}
	return c, nil
}

// methods are the HTTP methods of an operation, as [capabilityOf] reads them.
var methods = map[string][]string{
	Read:   {http.MethodGet},
	Update: {http.MethodPost, http.MethodPut},
	Delete: {http.MethodDelete},
}

// capabilityOf is the capability that a request needs. A write where there is nothing yet needs
// another one in the end.
func capabilityOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet:
		return Read
	case http.MethodPost, http.MethodPut:
		return Update
	case http.MethodDelete:
		return Delete
	}
	return ""
}

// tokenOf is the token of a request: the token's own header comes first.
func tokenOf(h http.Header) string {
	if token := h.Get("X-Vault-Token"); token != "" {
		return token
	}
	token, _ := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	return token
}

// isCanonical reports whether a path has segments between single slashes, and no dot segment.
func isCanonical(path string) bool {
	return !slices.ContainsFunc(strings.Split(path, "/"), func(s string) bool {
		return s == "" || s == "." ||
			s == ".."
	})
}
