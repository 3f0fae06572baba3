package sealkey

import (
	"time"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// Authority is a time-stamping authority that the owner of the file trusts.
type Authority struct {
	Name string
	// Certificates are the DER of the certificates that a token's chain may end in.
	// They are not parsed here.
	Certificates [][]byte
	From         time.Time // from when on
	Until        time.Time // until before when; zero for no end
}

// Authorities returns the authorities, in the order of the file.
func (t *Trust) Authorities() []Authority { return append([]Authority(nil), t.authorities...) }

func (p *trustParser) authority(m ijson.Member) Authority {
	o := p.Object(m.Value, "certificates", "valid_from", "valid_until?")
	a := Authority{Name: p.name(m)}
	a.From, a.Until = p.validity(o)
	for _, v := range o.List("certificates", 1, 16) {
		a.Certificates = append(a.Certificates, p.Bytes(v, 1, form.MaxCertificate))
	}
	return a
}
