package server_test

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/service/server"
)

// stall is the clock of a machine that stands still for three hours, once it is
// told to: between the signer's signature and the record of it.
type stall struct {
	*shifted
	next atomic.Bool
}

func (c *stall) Next() time.Time {
	if inComplete() && c.next.CompareAndSwap(true, false) {
		c.pass(3 * time.Hour)
	}
	return c.shifted.Next()
}

// inComplete reports whether the cloud is about to record an issuance.
func inComplete() bool {
	callers := make([]uintptr, 8)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.Function, "(*Cloud).Complete") {
			return true
		}
		if !more {
			return false
		}
	}
}

// What is signed and recorded too late is not released but revoked, SPEC 8.21,
// and another transaction is issued.
func TestNeverReleased(t *testing.T) {
	var clock *stall
	b, nodes := fleet(t, func(c *server.Config) {
		clock = &stall{shifted: c.Clock.(*shifted)}
		c.Clock = chance.Clock(clock)
	})
	clock.next.Store(true)
	b.request("tx-1", "payments-api")
	b.denied("tx-1", "never_released")
	if o := b.status("tx-1", "0"); o["certificates"] != nil || o["certificate_serial"] != nil {
		t.Errorf("released: %s", seal.Canonical(o))
	}
	var data seal.Object
	for _, event := range b.events() {
		if body := seal.Member(event, "body"); seal.Text(body, "type") == "issuance.denied" {
			data = seal.Member(body, "data")
		}
	}
	check.That(t, b.count("issuance.completed") == 0 && seal.Text(data, "revocation_receipt_sha256") != "",
		"the log has %v, %s", b.types(), seal.Canonical(data))
	b.issued("tx-2", "payments-api")
	_, issuer := b.certificates("tx-2")
	list := b.crl(issuer)
	entries, serial := list.RevokedCertificateEntries, seal.Text(data, "certificate_serial")
	check.That(t, len(entries) == 1 && entries[0].SerialNumber.Text(16) == serial,
		"the list has %v, not the certificate %s", entries, serial)
	b.verified("tx-2", "issued", nodes)
}
