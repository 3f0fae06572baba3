package server_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Every call, by every caller who may not make it.
func TestRoles(t *testing.T) {
	t.Parallel()
	b, _ := fleet(t)
	b.issued("tx-1", "payments-api")
	node, workload := "node/mesh-oslo-1", "workload/payments-api"
	for _, c := range []struct {
		method, path string
		not          []string
	}{
		{"POST", "/api/v1/nodes/mesh-oslo-1/enrolment", []string{"node/mesh-berlin-1", workload, operator}},
		{"POST", "/api/v1/nodes/mesh-oslo-1/sync", []string{"node/mesh-berlin-1", workload, operator}},
		{"POST", "/api/v1/nodes/mesh-oslo-1/results", []string{"node/mesh-berlin-1", workload, operator}},
		{"GET", "/api/v1/nodes/mesh-oslo-1/links", []string{"node/mesh-berlin-1", workload, operator}},
		{"POST", "/api/v1/nodes/mesh-oslo-1/disablement", []string{node, workload}},
		{"POST", "/api/v1/transactions", []string{node, "observer/x"}},
		{"GET", "/api/v1/transactions/tx-1", []string{node}},
		{"POST", "/api/v1/transactions/tx-1/evidence", []string{node, workload}},
		{"POST", "/api/v1/transactions/tx-1/revocation", []string{node, workload}},
		{"POST", "/api/v1/transactions/tx-1/promotion", []string{node, workload}},
		{"POST", "/api/v1/transactions/tx-1/cancellation", []string{node, workload}},
		{"POST", "/v1/managed/rotate", []string{node, workload}},
		{"POST", "/api/v1/policies", []string{node, workload}},
		{"GET", "/api/v1/overview", []string{node, workload, "observer/x"}},
		{"GET", "/api/v1/audit/events", []string{node, workload}},
		{"POST", "/api/v1/issuance/pause", []string{node, workload}},
		{"POST", "/api/v1/issuance/resume-requests", []string{node, workload}},
		{"POST", "/api/v1/issuance/resume-requests/x/approval", []string{node, workload}},
		{"PUT", "/api/v1/integrations/x", []string{node, workload}},
		{"POST", "/api/v1/integrations/x/test", []string{node, workload}},
		{"DELETE", "/api/v1/integrations/x", []string{node, workload}},
		{"PUT", "/api/v1/services/x", []string{node, workload}},
		{"POST", "/api/v1/signer/rotation", []string{node, workload}},
		{"GET", "/api/v1/keys", []string{node, workload}},
	} {
		var body seal.Object
		if c.method == "POST" || c.method == "PUT" {
			body = seal.Object{}
		}
		for _, who := range c.not {
			check.Equal(t, b.refused("identity_refused", who, c.method, c.path, body).Status, http.StatusForbidden,
				"%s %s as %s: status", c.method, c.path, who)
		}
	}
	check.Equal(t, b.refused("not_found", operator, "GET", "/api/v2/anything", nil).Status, http.StatusNotFound, "status")
}

func TestIdentities(t *testing.T) {
	b := start(t)
	call := func(identity tls.Certificate) error {
		c := httpd.NewClient(httpd.ClientConfig{URL: b.url, Roots: b.ca.Pool(), Identity: identity,
			Timeout: 10 * time.Second})
		defer c.Close()
		_, err := c.Do(context.Background(), http.MethodGet, "/api/v1/overview", nil)
		return err
	}
	check.OK(t, call(b.identity(operator)), "the operator")
	for name, identity := range map[string]tls.Certificate{
		"no certificate":       {},
		"another trust domain": b.ca.Client("caller", "spiffe://other.example/operator/ada"),
		"no name":              b.identity("operator"),
		"a longer name":        b.identity("operator/ada/phone"),
		"a longer role":        b.identity("operators/ada"),
		"no SPIFFE id":         b.ca.Client("caller", "https://"+tenant+".example/operator/ada"),
	} {
		err := call(identity)
		check.That(t, isProblem(err, "identity_refused"), "%s: %v", name, err)
	}
	err := call(testca.New("cloud CA").Client("caller", "spiffe://"+tenant+".example/operator/ada"))
	check.That(t, err != nil &&
		!isProblem(err, "identity_refused"), "another authority: %v", err)
}

// A workload sees its own transactions and no others.
func TestWorkloadsSeeTheirOwn(t *testing.T) {
	b, _ := fleet(t)
	b.request("tx-1", "payments-api")
	b.request("tx-2", "store-tls")
	b.refused("not_found", "workload/store-tls", "GET", "/api/v1/transactions/tx-1", nil)
	b.refused("identity_refused", "workload/store-tls", "POST", "/api/v1/transactions", order(t, "tx-3", "payments-api"))
	for who, id := range map[string]string{operator: "tx-2", "workload/payments-api": "tx-1", "workload/store-tls": "tx-2"} {
		b.as(who, "GET", "/api/v1/transactions/"+id, nil)
	}
}

// uriRequest is a certificate request for a URI, whatever it is.
func uriRequest(t testing.TB, name string) []byte {
	t.Helper()
	value := must.Get(asn1.Marshal([]asn1.RawValue{{Class: asn1.ClassContextSpecific, Tag: 6,
		Bytes: []byte(strings.TrimPrefix(name, "uri:"))}}))(t)
	return must.Get(x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		ExtraExtensions: []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 17}, Value: value}},
	}, testca.NewKey()))(t)
}

// Anything that is no request of the API is refused with the problem's code.
func TestRefusesRequests(t *testing.T) {
	b, _ := fleet(t)
	with := func(change func(seal.Object)) seal.Object {
		o := order(t, "tx-1", "payments-api")
		change(o)
		return o
	}
	set := func(name string, value any) seal.Object { return with(func(o seal.Object) { o[name] = value }) }
	uri := func(name string) seal.Object {
		o := order(t, "tx-1", "payments-api")
		o["names"] = seal.Strings([]string{name})
		o["csr"] = seal.Base64(uriRequest(t, name))
		return o
	}
	for name, body := range map[string]seal.Object{
		"an unknown member":     set("priority", "high"),
		"no csr":                with(func(o seal.Object) { delete(o, "csr") }),
		"csr that is none":      set("csr", "AAAA"),
		"csr in another base64": set("csr", "A+/="),
		"names of another csr":  set("names", seal.Strings([]string{"dns:b.example"})),
		"no names":              set("names", []any{}),
		"a name twice": set("names",
			seal.Strings([]string{"dns:payments-api.acme.example", "dns:payments-api.acme.example"})),
		"names that are none":       set("names", []any{int64(1)}),
		"too many names":            set("names", seal.Strings(make([]string, 101))),
		"a URI with a space's sign": uri("uri:https://a.example/%2"),
		"a URI with brackets":       uri("uri:https://a.example/<b>"),
		"an unknown usage":          set("extended_key_usages", seal.Strings([]string{"any"})),
		"a lifetime of 0":           set("lifetime_seconds", int64(0)),
		"an id with a slash":        set("transaction_id", "a/b"),
		"an id that is a number":    set("transaction_id", int64(1)),
		"a profile with a newline":  set("workload_profile", "payments-api\n"),
		"a profile that is a list":  set("workload_profile", []any{}),
		"a lifetime that is a text": set("lifetime_seconds", "3600"),
	} {
		check.That(t, isProblem(check.Err(b.try(operator, "POST", "/api/v1/transactions", body)), "request_invalid"),
			"%s is not refused", name)
	}
	b.refused("conflict", operator, "POST", "/api/v1/transactions",
		with(func(o seal.Object) { o["workload_profile"] = "none" }))
	b.as(operator, "POST", "/api/v1/transactions", uri("uri:https://a.example/%20b?c=[d]"))
	check.Equal(t, b.count("issuance.requested"), 1, "of the refused requests were opened")
	for path, what := range map[string]string{
		"/api/v1/transactions/tx-1?wait_seconds=61": "request_invalid",
		"/api/v1/audit/events?limit=501":            "request_invalid", "/api/v1/audit/events?to=-1": "request_invalid",
		"/api/v1/transactions/tx-none": "not_found",
	} {
		b.refused(what, operator, "GET", path, nil)
	}
}

// Bodies that the form of documents refuses, sent as bytes.
func TestRefusesBodies(t *testing.T) {
	b := start(t)
	ada := b.http(operator)
	for name, c := range map[string]struct {
		body   []byte
		status int
	}{
		"a pause":      {[]byte(`{"reason":"a"}`), 200},
		"a name twice": {[]byte(`{"reason":"a","reason":"b"}`), 400},
		"null":         {[]byte(`{"reason":null}`), 400},
		"a fraction":   {[]byte(`{"reason":1.5}`), 400},
		"no object":    {[]byte(`[]`), 400},
		"nothing":      {nil, 400},
		"a control":    {[]byte("{\"reason\":\"a\\u001bb\"}"), 400},
		"too much":     {append([]byte(`{"reason":"`), bytes.Repeat([]byte("a"), 1<<20)...), 413},
		"too deep":     {[]byte(strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)), 400},
	} {
		response, text := b.send(ada, http.MethodPost, pauses, c.body)
		check.That(t, response.StatusCode == c.status || (name == "a pause" && response.StatusCode == http.StatusConflict),
			"%s: %d %s", name, response.StatusCode, text)
		check.That(t, c.status < 400 || response.Header.Get("Content-Type") == "application/problem+json",
			"%s: %s", name, response.Header.Get("Content-Type"))
	}
}

func TestTheSameRequestAgain(t *testing.T) {
	b, _ := fleet(t)
	o := order(t, "tx-1", "payments-api")
	for range 2 {
		b.as("workload/payments-api", "POST", "/api/v1/transactions", o)
	}
	b.becomes("tx-1", "issued")
	again := b.as("workload/payments-api", "POST", "/api/v1/transactions", o)
	check.That(t, seal.Text(again, "status") == "issued" && b.count("issuance.requested") == 1,
		"the same request again: %s", seal.Canonical(again))
	b.refused("conflict", operator, "POST", "/api/v1/transactions", o)
	b.refused("conflict", "workload/payments-api", "POST", "/api/v1/transactions", order(t, "tx-1", "payments-api"))
}
