package server

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Roles of callers, the first part of a SPIFFE path.
const (
	roleNode     = "node"
	roleWorkload = "workload"
	roleOperator = "operator"
)

// call is a request of an identified caller.
type call struct {
	*httpd.Call
	who httpd.Identity
}

// operator is the operator who calls, as named by the certificate.
type operator struct {
	Name      string `json:"by"`
	KeySHA256 string `json:"key_sha256"` // of the SubjectPublicKeyInfo
}

func (c *call) operator() operator {
	return operator{c.who.Name, seal.SHA256(c.TLS.VerifiedChains[0][0].RawSubjectPublicKeyInfo)}
}

// is reports whether two operators may be one person: names that are alike but
// for case, or one key, are no two operators.
func (o operator) is(other operator) bool {
	return strings.EqualFold(o.Name, other.Name) || o.KeySHA256 == other.KeySHA256
}

// wait is how long the caller wants to wait, at most so many seconds.
func (c *call) wait(most int64) (time.Duration, error) {
	seconds, err := c.Number("wait_seconds", 0, most, 0)
	return time.Duration(seconds) * time.Second, err
}

func conflictError(format string, args ...any) error {
	return httpd.Refuse(http.StatusConflict, "conflict", format, args...)
}

func notFound(format string, args ...any) error {
	return httpd.Refuse(http.StatusNotFound, "not_found", format, args...)
}

// route is a call of the API and the roles that may make it.
type route struct {
	pattern string
	roles   []string
	answer  func(*call) (seal.Object, error)
}

func (s *Server) routes() []route {
	orders := &orders{s.issuances, s.registrations}
	polls := &polls{s.issuances, s.registrations, s.checkpoints}
	intake := &intake{s.rotations, s.checkpoints}
	evidence := &evidence{s.checkpoints, s.transactions}
	overview := &overview{s.issuances, s.checkpoints}
	nodes, operators := []string{roleNode}, []string{roleOperator}
	all := []string{roleWorkload, roleOperator}
	return []route{
		{"POST /api/v1/nodes/{id}/enrolment", nodes, s.nodes.enrol},
		{"POST /api/v1/nodes/{id}/sync", nodes, polls.sync},
		{"POST /api/v1/nodes/{id}/results", nodes, intake.results},
		{"GET /api/v1/nodes/{id}/links", nodes, evidence.links},
		{"POST /api/v1/nodes/{id}/disablement", operators, orders.disable},
		{"POST /api/v1/transactions", all, s.request},
		{"GET /api/v1/transactions/{id}", all, s.transactions.show},
		{"POST /api/v1/transactions/{id}/evidence", operators, evidence.export},
		{"POST /api/v1/transactions/{id}/revocation", operators, orders.revokeTransaction},
		{"POST /api/v1/transactions/{id}/promotion", operators, s.rotations.promote},
		{"POST /api/v1/transactions/{id}/cancellation", operators, s.rotations.cancel},
		{"POST /v1/managed/rotate", operators, s.rotations.rotate},
		{"POST /api/v1/policies", operators, orders.publishPolicy},
		{"GET /api/v1/overview", operators, overview.show},
		{"GET /api/v1/audit/events", operators, evidence.window},
		{"POST /api/v1/issuance/pause", operators, orders.pause},
		{"POST /api/v1/issuance/resume-requests", operators, s.incidents.requestResume},
		{"POST /api/v1/issuance/resume-requests/{id}/approval", operators, s.incidents.approveResume},
		{"PUT /api/v1/integrations/{id}", operators, orders.saveIntegration},
		{"POST /api/v1/integrations/{id}/test", operators, orders.testIntegration},
		{"DELETE /api/v1/integrations/{id}", operators, orders.unassign},
		{"PUT /api/v1/services/{service...}", operators, orders.claim},
		{"POST /api/v1/signer/rotation", operators, s.authority.rotateKeys},
		{"GET /api/v1/keys", operators, s.authority.keys},
	}
}

// Handler is the server's API. Every call but those below /pki/ is by a caller whom a client
// certificate of the tenant's trust domain names.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	var patterns []string
	for _, r := range s.routes() {
		mux.Handle(r.pattern, s.handle(r))
		patterns = append(patterns, r.pattern)
	}
	for path, refusal := range httpd.OtherMethods(patterns...) {
		mux.Handle(path, s.refuse(refusal))
	}
	mux.Handle("/", s.refuse(notFound("there is no such call")))
	mux.HandleFunc("/pki/", s.authority.pki)
	return mux
}

// handle answers the calls of a route, if their caller may make them. A node may make only the
// calls of its own path.
func (s *Server) handle(r route) http.Handler {
	return httpd.Handle(func(c *httpd.Call) (seal.Object, error) {
		who, err := s.identify(c, r.roles)
		if err != nil {
			return nil, err
		}
		own := who.Role != roleNode || c.PathValue("id") == who.Name
		// ada/laptop and ada/phone would be two operators.
		if !own || who.Role == roleOperator && !form.SubjectID.Is(who.Name) {
			return nil, mayNot(who)
		}
		return r.answer(&call{c, who})
	})
}

// identify returns the identity of a caller, which must have one of the roles.
func (s *Server) identify(c *httpd.Call, roles []string) (httpd.Identity, error) {
	who, err := c.Caller()
	if err == nil && (who.TrustDomain != s.config.TenantID+".example" || !slices.Contains(roles, who.Role)) {
		err = mayNot(who)
	}
	return who, err
}

func mayNot(who httpd.Identity) error {
	return httpd.Forbidden("%s/%s may not make this call", who.Role, who.Name)
}

// refuse answers every call of a known caller with a problem, and does not look
// at its body.
func (s *Server) refuse(problem error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := s.identify(&httpd.Call{Request: r}, []string{roleNode, roleWorkload, roleOperator})
		if err == nil {
			err = problem
		}
		httpd.WriteProblem(w, r, err)
	})
}
