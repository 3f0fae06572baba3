package deployment

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/collector"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Refused says why the deployment did not do what was asked of it.
type Refused struct{ Code, Detail string }

func (r *Refused) Error() string { return r.Code + ": " + r.Detail }

// refused makes a problem of the cloud a [Refused].
func refused(err error) error {
	var p *httpd.Problem
	if errors.As(err, &p) {
		return &Refused{p.Code, p.Detail}
	}
	return err
}

// Operate makes a POST to the cloud as one of its operators.
func (c Customer) Operate(ctx context.Context, operator, path string, body seal.Object) (seal.Object, error) {
	cloud, err := c.CallCloud("operator", operator)
	if err != nil {
		return nil, err
	}
	defer cloud.Close()
	o, err := cloud.Poll(ctx, pollWait, http.MethodPost, path, body)
	return o, refused(err)
}

// pollWait is how long a call may be held for its result.
const pollWait = 30 * time.Second

// Order is a certificate that a workload asks for. Its name follows from its
// profile.
type Order struct {
	TransactionID string // one is made if it is ""
	Profile       string
	Lifetime      time.Duration
	Tell          Tell // what it waits for
}

// names are those of a workload, as in terms (SPEC 7.3).
func (l *Layout) names(profile string) []string {
	return []string{"dns:" + profile + "." + l.TenantID + ".example", "uri:" + l.id("workload", profile).String()}
}

// Issue asks for a certificate as a workload with a new key, and waits for the
// decision. It returns the transaction, and [Refused] if it was denied. If the
// context ends before it returns the transaction too, which is still open.
func (c Customer) Issue(ctx context.Context, o Order) (seal.Object, error) {
	cloud, err := c.CallCloud("workload", o.Profile)
	if err != nil {
		return nil, err
	}
	defer cloud.Close()
	key, err := chance.Fresh().Stream("workload").Key("ecdsa-p256")
	if err != nil {
		return nil, err
	}
	csr, err := pki.Request(key, c.names(o.Profile))
	if err != nil {
		return nil, err
	}
	if o.TransactionID == "" {
		o.TransactionID = "tx-" + strings.ToLower(rand.Text()[:12])
	}
	t, err := cloud.Do(ctx, http.MethodPost, "/api/v1/transactions", seal.Object{
		"transaction_id": o.TransactionID, "workload_profile": o.Profile, "csr": seal.Base64(csr),
		"names":               seal.Strings(c.names(o.Profile)),
		"extended_key_usages": seal.Strings([]string{"clientAuth", "serverAuth"}),
		"lifetime_seconds":    int64(o.Lifetime / time.Second),
	})
	if err != nil {
		return nil, refused(err)
	}
	return c.decided(ctx, cloud, t, &teller{tell: o.Tell})
}

// transactionPath is where the cloud has a transaction.
func transactionPath(id string) string { return "/api/v1/transactions/" + url.PathEscape(id) }

// Evidence exports the portable proof of a transaction, and waits so long for
// witnesses. Then it collects the trust file, so that it has every key of the proof:
// an order that nobody waited for may have been carried out since.
func (c Customer) Evidence(ctx context.Context, transactionID string, wait time.Duration) (seal.Object, error) {
	bundle, err := c.Operate(ctx, "ada", transactionPath(transactionID)+"/evidence",
		seal.Object{"wait_seconds": int64(wait / time.Second)})
	if err != nil {
		return nil, err
	}
	return bundle, c.Collect(ctx)
}

// ModeFile is the file that says how the collector behaves.
func (l *Layout) ModeFile() string { return l.path("collector", "mode") }

// SetCollectorMode changes how the collector behaves, soon.
func (d *Deployment) SetCollectorMode(name string) error {
	mode, err := collector.ParseMode(name)
	if err != nil {
		return err
	}
	return pki.WriteFile(d.ModeFile(), []byte(mode+"\n"), 0o600)
}
