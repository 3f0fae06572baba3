package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Standing adds to a status the facts that a reader needs to act on it (SPEC 11.1): whose
// certificate it is, when that is valid, and which time the status is of.
type Standing struct {
	CertificateNames []string `json:"certificate_names"`
	NotBefore        string   `json:"not_before"`
	NotAfter         string   `json:"not_after"`
	RevokedAt        string   `json:"revoked_at,omitempty"` // set if and only if revoked
	AsOf             string   `json:"as_of"`                // the time of the checkpoint
	Freshness        string   `json:"freshness"`            // the requested age, in words
}

// About has the statements of a proven bundle, whether or not it is fresh and has the status
// that the caller demands.
type About struct {
	TenantID          string `json:"tenant_id"`
	TransactionID     string `json:"transaction_id"`
	CertificateSerial string `json:"certificate_serial"`
	Status            string `json:"status"`
	Standing
}

// aboutProof returns the statements of a proven bundle. It keeps nothing of the document.
func (r *run) aboutProof(b *bundle.Bundle) *About {
	a := &About{
		TenantID:          strings.Clone(b.Manifest.TenantID),
		TransactionID:     strings.Clone(b.Manifest.TransactionID),
		CertificateSerial: strings.Clone(b.Manifest.Serial),
		Status:            strings.Clone(b.Status.Unverified().Status),
		Standing: Standing{
			NotBefore: form.FormatTime(b.Receipt.Unverified().NotBefore),
			NotAfter:  form.FormatTime(b.Receipt.Unverified().NotAfter),
			AsOf:      form.FormatTime(b.Checkpoint.Unverified().CreatedAt),
			Freshness: FreshnessOf(r.policy),
		},
	}
	for _, name := range b.Manifest.Terms.Names {
		a.CertificateNames = append(a.CertificateNames, strings.Clone(name))
	}
	if b.Revocation != nil {
		a.RevokedAt = form.FormatTime(b.Revocation.Unverified().RevokedAt)
	}
	return a
}

// NoAge explains what a status proves without a demanded age.
const NoAge = "no age was asked for: an older proof cannot show a later revocation"

// Freshness returns how old a status may be.
func (p PolicyReport) Freshness() string {
	if p.At == "" {
		return NoAge
	}
	return fmt.Sprintf("at most %s old at %s", safetext.Age(p.MaxAgeSeconds), p.At)
}

// FreshnessOf returns how old a policy lets a status be.
func FreshnessOf(p Policy) string { return p.report().Freshness() }

// Outcome returns the status with its time.
func (a *About) Outcome() string {
	if a.RevokedAt != "" {
		return a.Status + " at " + a.RevokedAt
	}
	return a.Status
}

// mostNames is how many names of a certificate a sentence lists.
const mostNames = 5

// FirstNames returns the names of the certificate as they are, and of many the first
// few with how many more there are.
func (s *Standing) FirstNames() []string { return firstNames(s.CertificateNames) }

func firstNames(names []string) []string {
	if more := len(names) - mostNames; more > 0 {
		return append(slices.Clone(names[:mostNames]), fmt.Sprintf("and %d more", more))
	}
	return names
}

// Names lists the first names of the certificate as safe text.
func (s *Standing) Names() string {
	var list []string
	for _, name := range s.FirstNames() {
		list = append(list, safetext.Excerpt(name, safetext.Value))
	}
	return strings.Join(list, ", ")
}

// Validity is when the certificate is valid.
func (s *Standing) Validity() string { return s.NotBefore + " to " + s.NotAfter }

// Sentence returns all of it as text. Nothing undoes a revocation, so its age is left out.
func (a *About) Sentence() string {
	s := fmt.Sprintf("%s; transaction %s of tenant %s; certificate of %s, serial %s, valid %s; as of %s", a.Outcome(),
		safetext.Quote(a.TransactionID), safetext.Quote(a.TenantID), a.Names(), a.CertificateSerial, a.Validity(), a.AsOf)
	if a.Status == bundle.Issued {
		s += "; " + a.Freshness
	}
	return s
}
