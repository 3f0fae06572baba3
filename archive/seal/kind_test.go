package seal

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
)

// TestKinds: the protocol in its place makes a document a seal or a proof.
func TestKinds(t *testing.T) {
	for doc, want := range map[string]string{
		`{"statement":{"protocol":"svc.archive-seal.v1"}}`:                        Protocol,
		` {"statement" : {"protocol":"svc.archive-seal.v1"}, "more":1}`:           Protocol,
		`{"protocol":"svc.archive-object-proof.v1"}`:                              ProofProtocol,
		`{"protocol":"svc.archive-object-proof.v1","statement":{"protocol":"x"}}`: ProofProtocol,
		`{"protocol":"svc.archive-seal.v1"}`:                                      "",
		`{"statement":{"protocol":"svc.archive-object-proof.v1"}}`:                "",
		`{"statement":{"protocol":"svc.archive-seal.v2"}}`:                        "",
		`{"statement":{"protocol":["svc.archive-seal.v1"]}}`:                      "",
		`{"statement":"svc.archive-seal.v1"}`:                                     "",
		`[{"protocol":"svc.archive-object-proof.v1"}]`:                            "",
		`{"statement":{"protocol":"svc.archive-seal.v1"}}{}`:                      "",
		`{"protocol":"x","protocol":"svc.archive-object-proof.v1"}`:               "",
		`{"protocol":"svc.archive-object-proof.v1"`:                               "",
		"": "",
		`{"protocol":"svc.archive-object-proof.v1"}` + strings.Repeat(" ", MaxProof): "",
	} {
		got, other := Recognise([]byte(doc))
		check.That(t, got == want && (other == nil) == (want != ""), "%.80s: %s, %+v", doc, got, other)
	}
}
