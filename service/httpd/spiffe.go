package httpd

import (
	"crypto/x509"
	"encoding/asn1"
	"errors"

	"github.com/spiffe/go-spiffe/v2/spiffeid"
	"golang.org/x/crypto/cryptobyte"
	cryptobyteasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// oidAlternativeNames is subjectAltName, and tagURI a URI among its names (RFC
// 5280, 4.2.1.6).
var (
	oidAlternativeNames = asn1.ObjectIdentifier{2, 5, 29, 17}
	tagURI              = cryptobyteasn1.Tag(6).ContextSpecific()
)

// SPIFFEID returns the SPIFFE id of a certificate: its one URI name, octet by
// octet. The names that crypto/x509 parsed would not do, since net/url folds
// what is different: SPIFFE:// becomes spiffe://, and a # at the end is lost.
func SPIFFEID(certificate *x509.Certificate) (spiffeid.ID, error) {
	names, err := uriNames(certificate)
	if err != nil {
		return spiffeid.ID{}, err
	}
	if len(names) != 1 {
		return spiffeid.ID{}, errors.New("expected one URI name")
	}
	return spiffeid.FromString(names[0])
}

// uriNames are the URI names of a certificate, as they stand there.
func uriNames(certificate *x509.Certificate) ([]string, error) {
	var found []string
	for _, e := range certificate.Extensions {
		if !e.Id.Equal(oidAlternativeNames) {
			continue
		}
		value := cryptobyte.String(e.Value)
		var names cryptobyte.String
		if !value.ReadASN1(&names, cryptobyteasn1.SEQUENCE) || !value.Empty() {
			return nil, errors.New("the alternative names cannot be read")
		}
		for !names.Empty() {
			var name cryptobyte.String
			var tag cryptobyteasn1.Tag
			if !names.ReadAnyASN1(&name, &tag) {
				return nil, errors.New("the alternative names cannot be read")
			}
			if tag == tagURI {
				found = append(found, string(name))
			}
		}
	}
	return found, nil
}
