package server

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/svc-edge/svc-verify/service/httpd"
)

// maximumOCSP is the longest OCSP request, in bytes.
const maximumOCSP = 4096

// pki answers below /pki/: revocation lists and OCSP, open to all.
func (a *authority) pki(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.EscapedPath(), "/pki/")
	key, isList := strings.CutSuffix(name, ".crl")
	encoded, isQuery := strings.CutPrefix(name, "ocsp/")
	switch {
	case !isList && !isQuery && name != "ocsp":
		httpd.WriteProblem(w, r, notFound("nothing is published there"))
	case name == "ocsp" && r.Method != http.MethodPost:
		httpd.WriteProblem(w, r, httpd.MethodNotAllowed(http.MethodPost))
	case name != "ocsp" && !httpd.Reads(r):
		httpd.WriteProblem(w, r, httpd.MethodNotAllowed(http.MethodGet, http.MethodHead))
	case isList:
		a.crl(w, r, key)
	case isQuery:
		a.encodedOCSP(w, r, encoded)
	default:
		b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maximumOCSP))
		if err != nil {
			httpd.WriteProblem(w, r, httpd.Refuse(http.StatusRequestEntityTooLarge, "request_too_large",
				"expected at most %d bytes", maximumOCSP))
			return
		}
		a.ocsp(w, r, b)
	}
}

// encodedOCSP answers a request in a path, base64, URL-encoded (RFC 6960,
// appendix A). One that cannot be read is a malformed request.
func (a *authority) encodedOCSP(w http.ResponseWriter, r *http.Request, encoded string) {
	if len(encoded) > maximumOCSP {
		httpd.WriteProblem(w, r, notFound("nothing is published there"))
		return
	}
	text, _ := url.PathUnescape(encoded)
	b, _ := base64.StdEncoding.DecodeString(text)
	a.ocsp(w, r, b)
}

func (a *authority) crl(w http.ResponseWriter, r *http.Request, issuerKey string) {
	var der []byte
	err := a.inspect(func() error {
		if der = a.publisher.CRL(issuerKey); der == nil {
			return notFound("no list of that issuer is published")
		}
		return nil
	})
	if err != nil {
		httpd.WriteProblem(w, r, err)
		return
	}
	sendDER(w, "application/pkix-crl", der)
}

func (a *authority) ocsp(w http.ResponseWriter, r *http.Request, request []byte) {
	var der []byte
	if err := a.inspect(func() error {
		der = a.publisher.Answer(request, a.now())
		return nil
	}); err != nil {
		httpd.WriteProblem(w, r, err)
		return
	}
	sendDER(w, "application/ocsp-response", der)
}

func sendDER(w http.ResponseWriter, kind string, der []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(bytes.Clone(der)) // a caller that is gone asks again
}
