package server

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/server/revocation"
)

// revokeTransaction revokes the certificate of a transaction.
func (s *Server) revokeTransaction(c *call) (seal.Object, error) {
	f := read(c.Body)
	reason := f.word("reason", signer.Reasons...)
	if err := f.close(); err != nil {
		return nil, err
	}
	var view seal.Object
	err := s.ordered(c, func() error {
		t, err := s.transactionOf(c)
		if err != nil {
			return err
		}
		if t.Issued == nil {
			return conflict("no certificate was issued for transaction %s", t.id())
		}
		if !t.Revoked() {
			if err := s.revoke(t, reason); err != nil {
				return err
			}
			t.status = statusRevoked
			if s.open[t.id()] != nil && t.rotation != nil {
				s.endRotation(t, rotationDenied)
			}
		} else if certificate, _ := s.signer.Certificate(t.id()); certificate.Reason != reason {
			return conflict("the certificate was revoked for the reason %s", certificate.Reason)
		}
		view = t.view()
		return nil
	})
	return view, err
}

// revoke has the signer revoke the certificate of a transaction, logs that, and
// publishes it. Who asked for it, and why, stands in an event of its own, since
// the data of certificate.revoked is closed (SPEC 4.4).
func (s *Server) revoke(t *transaction, reason string) error {
	data := seal.Object{"reason": reason}
	if t.code != "" {
		data["code"] = t.code
	}
	s.cloud.NoteOf(t.id(), "revocation.requested", data)
	receipt, registry, err := s.signer.Revoke(t.id(), reason)
	if err != nil {
		return err
	}
	if err := s.cloud.RecordRevocation(t.Transaction, receipt, registry); err != nil {
		return err
	}
	certificate, _ := s.signer.Certificate(t.id())
	s.keepCertificate(certificate)
	s.save(t)
	s.publishLists(s.now())
	return nil
}

// publishLists publishes the revocation lists that are due.
func (s *Server) publishLists(now time.Time) {
	lists, err := s.publisher.Publish(now)
	for _, list := range lists {
		s.put(kindList, list.IssuerKey, seal.Object{
			"issuer": list.IssuerKey, "number": list.Number, "der": seal.Base64(list.DER),
			"this_update": seal.Time(list.ThisUpdate), "next_update": seal.Time(list.NextUpdate),
		})
	}
	complaint := ""
	if err != nil {
		complaint = err.Error()
	}
	if complaint != s.complaint && err != nil {
		s.config.Log.Error("a revocation list was not published", "error", complaint)
	}
	s.complaint = complaint
}

func restoreList(o seal.Object) (revocation.List, error) {
	list := revocation.List{IssuerKey: seal.Text(o, "issuer"), Number: seal.Integer(o, "number")}
	var err error
	if list.DER, err = seal.Unbase64(seal.Text(o, "der")); err != nil {
		return list, err
	}
	if list.ThisUpdate, err = restoreTime(o, "this_update"); err != nil {
		return list, err
	}
	list.NextUpdate, err = restoreTime(o, "next_update")
	return list, err
}

// maximumOCSP is the longest OCSP request, in octets.
const maximumOCSP = 4096

// pki answers below /pki/: revocation lists and OCSP, open to all.
func (s *Server) pki(w http.ResponseWriter, r *http.Request) {
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
		s.crl(w, r, key)
	case isQuery:
		s.encodedOCSP(w, r, encoded)
	default:
		b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maximumOCSP))
		if err != nil {
			httpd.WriteProblem(w, r, httpd.Refuse(http.StatusRequestEntityTooLarge, "request_too_large", "expected at most %d bytes", maximumOCSP))
			return
		}
		s.ocsp(w, r, b)
	}
}

// encodedOCSP answers a request in a path, base64, URL-encoded (RFC 6960,
// appendix A). One that cannot be read is a malformed request.
func (s *Server) encodedOCSP(w http.ResponseWriter, r *http.Request, encoded string) {
	if len(encoded) > maximumOCSP {
		httpd.WriteProblem(w, r, notFound("nothing is published there"))
		return
	}
	text, _ := url.PathUnescape(encoded)
	b, _ := base64.StdEncoding.DecodeString(text)
	s.ocsp(w, r, b)
}

func (s *Server) crl(w http.ResponseWriter, r *http.Request, issuerKey string) {
	var der []byte
	err := s.inspect(func() error {
		if der = s.publisher.CRL(issuerKey); der == nil {
			return notFound("no list of that issuer is published")
		}
		return nil
	})
	if err != nil {
		httpd.WriteProblem(w, r, err)
		return
	}
	send(w, "application/pkix-crl", der)
}

func (s *Server) ocsp(w http.ResponseWriter, r *http.Request, request []byte) {
	var der []byte
	if err := s.inspect(func() error {
		der = s.publisher.Answer(request, s.now())
		return nil
	}); err != nil {
		httpd.WriteProblem(w, r, err)
		return
	}
	send(w, "application/ocsp-response", der)
}

func send(w http.ResponseWriter, kind string, der []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(bytes.Clone(der)) // a caller that is gone asks again
}

// rotateKeys gives the signer new keys.
func (s *Server) rotateKeys(c *call) (seal.Object, error) {
	f := read(c.Body)
	if err := f.close(); err != nil {
		return nil, err
	}
	answer := seal.Object{}
	err := s.ordered(c, func() error {
		if err := s.rotateSigner(s.now()); err != nil {
			return err
		}
		registry := s.registries[len(s.registries)-1]
		key := s.generations[len(s.generations)-1].Key
		answer["generation"], answer["sha256"] = registry["generation"], seal.Digest(registry)
		answer["key_id"], answer["public_key"] = key.ID, seal.Base64(key.Public())
		return nil
	})
	return answer, err
}

// rotateSigner gives the signer the next generation of its keys and publishes
// the registry in which they stand. The keys are on disk before they are used.
func (s *Server) rotateSigner(now time.Time) error {
	next, err := signer.NewGeneration(len(s.generations)+1, now, chance.Fresh())
	if err != nil {
		return err
	}
	generations := append(slices.Clone(s.generations), next)
	if err := signer.WriteKeys(s.path(signerFile), generations); err != nil {
		return err
	}
	s.generations = generations
	s.roster.Signers[next.Key.ID] = next.Key.Public()
	s.signer.Use(next)
	registry := s.signer.Publish(signer.Algorithms)
	s.registries = append(s.registries, registry)
	s.put(kindRegistry, ascending(seal.Integer(registry, "generation")), registry)
	s.cloud.KeyRotated("signer", next.Key)
	data := seal.Object{"generation": registry["generation"], "sha256": seal.Digest(registry)}
	s.cloud.Note("registry.published", data)
	s.notices.add("trust_bundle.updated", data)
	s.publishLists(now)
	return nil
}
