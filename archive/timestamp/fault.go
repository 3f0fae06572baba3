package timestamp

import (
	"fmt"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Fault says why a token, or evidence about one, is not accepted. Path names the
// part by the names of the RFCs, such as token/signerInfo. Expected and Found can
// hold text of the evidence.
type Fault finding.InDocument

// Error returns the fault in one line, safe to show.
func (f *Fault) Error() string {
	return fmt.Sprintf("%s: expected %s, found %s (%s)", safetext.Line(f.Path), safetext.Line(f.Expected),
		safetext.Line(f.Found), f.Code)
}

func faultAt(code finding.Code, path, expected, found string) *Fault {
	return &Fault{Code: code, Path: path, Expected: expected, Found: found}
}

// malformed is a fault of form.
func malformed(path, expected, found string) *Fault {
	return faultAt(TokenMalformed, path, expected, found)
}

// The largest documents that are read, in octets. Usual tokens have 2 to 10 KB, and
// the CRLs of large authorities some megabytes.
const (
	MaxToken       = 256 << 10
	MaxStored      = 64 << 20 // of a token with evidence that was added
	MaxRequest     = 4 << 10
	MaxCertificate = 64 << 10
	MaxRevocation  = 16 << 20

	// MaxCertificates bounds the certificates of one token, and those beside it.
	MaxCertificates = 16

	// MaxEvidence bounds the CRLs and OCSP answers of one token.
	MaxEvidence = 32
)
