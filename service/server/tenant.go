package server

import (
	"log/slog"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Config is what a server starts with. What is zero takes the default.
type Config struct {
	TenantID string
	Dir      string // the state directory, the owner's alone
	// RequiredWitnesses is what checkpoints demand, at least 1.
	RequiredWitnesses int64
	// Poll is the poll interval of the nodes: one that was not heard of for
	// three of them is offline. 10 s.
	Poll time.Duration
	// Expiry is how long a transaction may stay undecided. 10 min.
	Expiry time.Duration
	// Quiet is how long the log must not have grown before a checkpoint is made
	// of it by itself. 2 s.
	Quiet time.Duration
	// MaximumOpen is how many transactions may be open at once. 2000.
	MaximumOpen int
	// Patience is how long just enough nodes are asked to observe, approve or
	// decide, before all are. 5 s.
	Patience time.Duration
	// ListLifetime is that of revocation lists, 24 h; AnswerLifetime that of
	// OCSP answers, 1 h.
	ListLifetime, AnswerLifetime time.Duration
	// Clock gives the times of documents, the wall clock if nil. It may run
	// ahead of Now, which is for everything else; [time.Now] if nil.
	Clock chance.Clock
	Now   func() time.Time
	Log   *slog.Logger // the default one if nil
}

func (c Config) withDefaults() Config {
	for d, otherwise := range map[*time.Duration]time.Duration{
		&c.Poll: 10 * time.Second, &c.Expiry: 10 * time.Minute, &c.Quiet: 2 * time.Second, &c.Patience: 5 * time.Second,
		&c.ListLifetime: 24 * time.Hour, &c.AnswerLifetime: time.Hour,
	} {
		if *d == 0 {
			*d = otherwise
		}
	}
	if c.MaximumOpen == 0 {
		c.MaximumOpen = 2000
	}
	if c.Clock == nil {
		c.Clock = chance.Wall()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

// tenant is what every part of the server works with.
type tenant struct {
	config Config
	*ledger
	cloud     *cloud.Cloud // the tenant log, and the evidence behind it
	roster    *consent.Roster
	policyKey seal.Key
	notices   *notices
}

func (t *tenant) now() time.Time { return t.config.Now().UTC() }

// saveCloud keeps what the cloud knows beside its log.
func (t *tenant) saveCloud() { t.put(kindState, stateCloud, t.cloud.Document()) }

// answerOrder makes a decision that the caller asked for, if the fields of the request are as they
// should be, and returns its answer. Every event that follows from an operator's order names
// the operator. What a workload or a node asks for names itself.
func (t *tenant) answerOrder(c *call, f *fields, decide func() (seal.Object, error)) (answer seal.Object, err error) {
	if err := f.close(); err != nil {
		return nil, err
	}
	err = t.update(func() error {
		if c.who.Role == roleOperator {
			defer t.cloud.OrderedBy(t.cloud.OrderedBy(c.who.Name))
		}
		answer, err = decide()
		return err
	})
	return answer, err
}
