package server

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"github.com/svc-edge/svc-verify/service/httpd"
)

// maximumOCSP is the longest OCSP request, in bytes.
const maximumOCSP = 4096

// pki answers below /pki/: revocation lists and OCSP, open to all.
func (a *authority) pki(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/pki/")
	key, isList := strings.CutSuffix(name, ".crl")
	switch {
	case !isList && name != "ocsp":
		httpd.WriteProblem(w, r, notFound("nothing is published there"))
	case !isList && r.Method != http.MethodPost:
		httpd.WriteProblem(w, r, httpd.MethodNotAllowed(http.MethodPost))
	case isList && !httpd.Reads(r):
		httpd.WriteProblem(w, r, httpd.MethodNotAllowed(http.MethodGet, http.MethodHead))
	case isList:
		a.crl(w, r, key)
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
