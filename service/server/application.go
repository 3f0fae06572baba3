package server

import (
	"crypto/rand"
	"net/http"
	"time"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// application is a certificate that a caller asks for.
type application struct {
	id      string      // of the transaction
	terms   seal.Object // as far as they do not follow from the policy
	csr     []byte
	request seal.Object // terms, and who asked for them
}

// readApplication reads what a caller asks for. A workload may ask for its own
// profile only.
func readApplication(c *call, f *fields) (application, error) {
	a := application{id: "tx-" + rand.Text()}
	if f.Has("transaction_id") {
		a.id = f.Text("transaction_id", form.SubjectID)
	}
	a.terms = seal.Object{
		"workload_profile":    f.Text("workload_profile", form.Identifier),
		"lifetime_seconds":    f.Number("lifetime_seconds", 1, maximumLifetime),
		"names":               seal.Strings(f.names("names")),
		"extended_key_usages": seal.Strings(f.names("extended_key_usages")),
	}
	a.csr = f.octets("csr")
	if err := f.close(); err != nil {
		return a, err
	}
	if err := addKey(a.terms, a.csr); err != nil {
		return a, err
	}
	if profile := seal.Text(a.terms, "workload_profile"); c.who.Role == roleWorkload && c.who.Name != profile {
		return a, httpd.Refuse(http.StatusForbidden, "identity_refused", "%s may not ask for profile %s", c.who.Name,
			profile)
	}
	a.request = seal.CloneObject(a.terms)
	a.request["by"] = c.who.Role + "/" + c.who.Name
	return a, nil
}

// addKey completes terms with the key of a certificate request, and checks that
// the request asks for their names.
func addKey(terms seal.Object, csr []byte) error {
	request, err := pki.ReadRequest(csr)
	if err != nil {
		return httpd.Invalid("csr: expected a PKCS #10 request that the holder of its key signed")
	}
	algorithm, err := pki.AlgorithmOf(request.PublicKey)
	if err != nil {
		return httpd.Invalid("csr: %s", err)
	}
	terms["algorithm"], terms["public_key_sha256"] = algorithm, seal.SHA256(request.RawSubjectPublicKeyInfo)
	if err := pki.CheckTerms(request, terms); err != nil {
		return httpd.Invalid("csr: %s", err)
	}
	if _, err := pki.Leaf(terms, nil, time.Time{}); err != nil {
		return httpd.Invalid("%s", err)
	}
	return nil
}
