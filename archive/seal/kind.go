package seal

import (
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// Recognise returns the protocol of a document: [Protocol] or [ProofProtocol]. A seal has its
// protocol in its statement, a proof its own at the top. Of anything else it returns a report.
func Recognise(file []byte) (protocol string, other *Report) {
	v, fault := form.Parse(file, MaxProof, "octets")
	switch {
	case fault != nil:
	case textAt(v, "protocol") == ProofProtocol:
		return ProofProtocol, nil
	case textAt(v, "statement", "protocol") == Protocol:
		return Protocol, nil
	default:
		fault = &ijson.Fault{Code: form.UnknownProtocol, Found: "another document"}
	}
	r := newReport()
	fault.Expected = "a seal, the proof of an object, or a bag"
	r.add("file", finding.OfFault(*fault))
	return "", r
}

// textAt returns the string that members lead to, "" if they lead to none.
func textAt(v *ijson.Value, names ...string) string {
	for _, name := range names {
		if v, _ = v.Member(name); v == nil {
			return ""
		}
	}
	return v.Text()
}
