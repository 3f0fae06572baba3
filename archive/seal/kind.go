package seal

import (
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// KindOf returns what a document says that it is: [Protocol] or [ProofProtocol], or "" for anything else.
// A seal has its protocol in its statement, a proof its own at the top.
func KindOf(file []byte) string {
	v, fault := form.Parse(file, MaxProof, "octets")
	if fault != nil || v.Kind() != ijson.Object {
		return ""
	}
	if protocolOf(v) == ProofProtocol {
		return ProofProtocol
	}
	if s, ok := v.Member("statement"); ok && protocolOf(s) == Protocol {
		return Protocol
	}
	return ""
}

// protocolOf returns the protocol of an object, "" if it has none.
func protocolOf(v *ijson.Value) string {
	if v.Kind() != ijson.Object {
		return ""
	}
	if p, ok := v.Member("protocol"); ok && p.Kind() == ijson.String {
		return p.Text()
	}
	return ""
}

// Unrecognised reports on a file that is neither a seal nor a proof. Expected says what it should be.
func Unrecognised(file []byte, expected string) *Report {
	r := newReport()
	f := finding.At(form.UnknownProtocol, "", expected, "another document")
	if _, fault := form.Parse(file, MaxProof, "octets"); fault != nil {
		f.Code, f.Path, f.Found = finding.Code(fault.Code), fault.Path, fault.Found
	}
	r.add("file", f)
	return r
}
