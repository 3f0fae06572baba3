package agent

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// longestWait is how long the node lets the cloud hold a poll.
const longestWait = 30 * time.Second

// follow is the loop with the cloud. It ends with the context, or when the node
// must not go on.
func (a *Agent) follow(ctx context.Context) error {
	for ctx.Err() == nil {
		started := time.Now()
		news, err := a.round(ctx)
		if dead := a.dead(); dead != nil {
			return dead
		}
		switch {
		case ctx.Err() != nil:
		case err != nil:
			a.log.Warn("a round with the cloud failed", "error", err.Error())
			a.rest(ctx)
		case !news && time.Since(started) < longestWait:
			// It held the poll for less than it was asked to, and had nothing that
			// the node could do.
			a.rest(ctx)
		}
	}
	return nil
}

// rest waits for the poll interval, give or take a tenth, so that the nodes of a
// tenant do not call all at once.
func (a *Agent) rest(ctx context.Context) {
	interval := a.config.Cloud.PollInterval
	timer := time.NewTimer(interval - interval/10 + rand.N(interval/5))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-a.wake:
	case <-ctx.Done():
	}
}

// round is everything once: enrolment, the check of the integrations, results,
// one poll, and the results of what it brought. It reports whether anything was new. What fails does not keep
// the rest from being tried.
func (a *Agent) round(ctx context.Context) (bool, error) {
	enrolled := a.identity.enrol(ctx)
	a.integrations.checkAll(ctx)
	handed := a.outbox.handOver(ctx)
	news, polled := a.poll(ctx)
	return news, errors.Join(enrolled, handed, polled, a.outbox.handOver(ctx))
}

// poll is one sync. It ends early when there are results to hand over, or when
// the node is no longer in the state that it told.
func (a *Agent) poll(ctx context.Context) (bool, error) {
	request, told := a.syncRequest()
	wait := time.Duration(seal.Integer(request, "wait_seconds")) * time.Second
	call, cancel := context.WithCancel(ctx)
	ended := make(chan bool, 1)
	go func() {
		defer cancel()
		ended <- a.interrupted(call, seal.Text(seal.Member(request, "health"), "status"))
	}()
	answer, err := a.cloud.Poll(call, wait, http.MethodPost, a.path("sync"), request)
	cancel()
	early := <-ended
	switch {
	case err != nil && early:
		return true, nil
	case err != nil:
		a.metrics.policyFailures.Inc()
		return false, fmt.Errorf("sync: %w", err)
	}
	a.discovery.sent()
	// A poll that brought observations was not held, and the next one is due.
	return a.take(ctx, answer) || early || told, nil
}

// interrupted waits for a reason to end a poll early, and reports whether there
// was one before its context ended.
func (a *Agent) interrupted(ctx context.Context, state string) bool {
	ticker := time.NewTicker(a.config.Cloud.PollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-a.wake:
			return true
		case <-ctx.Done():
			return false
		case <-ticker.C:
			if seal.Text(a.health(), "status") != state {
				return true
			}
		}
	}
}

// syncRequest is what the node says of itself in a sync. It reports whether that
// holds observations of dependencies, which are not to wait.
func (a *Agent) syncRequest() (seal.Object, bool) {
	health := a.health()
	told := a.discovery.take(health)
	a.mu.Lock()
	defer a.mu.Unlock()
	wait := longestWait
	if a.integrations.anyDegraded() {
		// It is checked again after this poll.
		wait = min(wait, max(time.Second, a.config.Cloud.PollInterval.Truncate(time.Second)))
	}
	if len(a.outbox.waiting) > 0 || told {
		wait = 0
	}
	request := seal.Object{
		"policy_version":        a.node.PolicyVersion(),
		"roster_version":        a.node.RosterVersion(),
		"witnessed":             int64(a.node.Witnessed()),
		"notices_after":         a.noticed,
		"registrations_version": a.registrations,
		"wait_seconds":          int64(wait / time.Second),
		"health":                health,
	}
	if report, err := a.node.Report(); err == nil {
		request["report"] = report
	}
	return request, told
}

// step takes over one member of the cloud's answer, and reports whether it was
// new.
type step struct {
	member string
	take   func(ctx context.Context, value any) (bool, error)
}

// take takes over what the cloud answered, and reports whether anything of it
// was new. The keys come before what is judged by them.
func (a *Agent) take(ctx context.Context, answer seal.Object) bool {
	news, known := false, map[string]bool{}
	for _, s := range []step{
		{"roster", a.takeRoster}, {"policy", a.takePolicy}, {"registrations", a.takeRegistrations},
		{"integrations", a.integrations.adopt}, {"notices", a.takeNotices},
		{"checkpoint", a.takeCheckpoint}, {"work", a.takeWork},
	} {
		known[s.member] = true
		fresh, err := s.take(ctx, answer[s.member])
		news = news || fresh
		if err != nil {
			a.log.Warn("the cloud's answer", "member", s.member, "error", err.Error())
		}
	}
	for name := range answer {
		if !known[name] {
			a.log.Warn("the cloud's answer has an unknown member", "member", fmt.Sprintf("%.64q", name))
		}
	}
	return news
}
