package agent

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// longestWait is how long the node lets the cloud hold a poll.
const longestWait = 30 * time.Second

// leastHold is how long the cloud has to hold a poll for the next one to follow at once.
// It holds none for longer than its own poll interval.
const leastHold = time.Second

// follower follows the cloud: it reports the node's work, and adopts the cloud's answers.
type follower struct {
	*core
	identity     *identity
	outbox       *outbox
	integrations *integrations
	progress     *progress
	work         *work
	health       *health
}

// run is the loop with the cloud. It ends with the context, or when the node
// must not go on.
func (f *follower) run(ctx context.Context) error {
	for ctx.Err() == nil {
		started := time.Now()
		news, err := f.round(ctx)
		if dead := f.dead(); dead != nil {
			return dead
		}
		switch {
		case ctx.Err() != nil:
		case err != nil:
			f.log.Warn("a round with the cloud failed", "error", err.Error())
			f.rest(ctx)
		case !news && time.Since(started) < leastHold:
			// It hardly held the poll, and had nothing that the node could do.
			f.rest(ctx)
		}
	}
	return nil
}

// rest waits for the poll interval, give or take a tenth, so that the nodes of a
// tenant do not call all at once.
func (f *follower) rest(ctx context.Context) {
	interval := f.config.Cloud.PollInterval
	_ = httpd.Pause(ctx, interval-interval/10+rand.N(interval/5), f.wake)
}

// round does everything once: enrolment, the check of the integrations, results, one poll, and
// the results that it led to. It reports whether anything was new. After a failure the rest is
// still tried.
func (f *follower) round(ctx context.Context) (bool, error) {
	enrolled := f.identity.enrol(ctx)
	f.integrations.checkAll(ctx)
	handed := f.outbox.handOver(ctx)
	news, polled := f.poll(ctx)
	return news, errors.Join(enrolled, handed, polled, f.outbox.handOver(ctx))
}

// poll is one sync. It ends early when there are results to hand over, or when the node is no
// longer in the state that it reported.
func (f *follower) poll(ctx context.Context) (bool, error) {
	request, told := f.syncRequest()
	wait := time.Duration(seal.Integer(request, "wait_seconds")) * time.Second
	call, cancel := context.WithCancel(ctx)
	ended := make(chan bool, 1)
	go func() {
		defer cancel()
		ended <- f.interrupted(call, seal.Text(seal.Member(request, "health"), "status"))
	}()
	answer, err := f.cloud.Poll(call, wait, http.MethodPost, f.path("sync"), request)
	cancel()
	early := <-ended
	switch {
	case err != nil && early:
		return true, nil
	case err != nil:
		f.metrics.policyFailures.Inc()
		return false, fmt.Errorf("sync: %w", err)
	}
	f.health.discovery.sent()
	// A poll that brought observations was not held, and the next one is due.
	return f.adopt(ctx, answer) || early || told, nil
}

// interrupted waits for a reason to end a poll early, and reports whether there
// was one before its context ended.
func (f *follower) interrupted(ctx context.Context, state string) bool {
	ticker := time.NewTicker(f.config.Cloud.PollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-f.wake:
			return true
		case <-ctx.Done():
			return false
		case <-ticker.C:
			if seal.Text(f.health.document(), "status") != state {
				return true
			}
		}
	}
}

// syncRequest returns the body of a sync, with the node's own state. It reports whether that
// holds observations of dependencies, which are not to wait.
func (f *follower) syncRequest() (seal.Object, bool) {
	health := f.health.document()
	told := f.health.discovery.take(health)
	f.mu.Lock()
	defer f.mu.Unlock()
	wait := longestWait
	if f.integrations.anyDegraded() {
		// It is checked again after this poll.
		wait = min(wait, max(time.Second, f.config.Cloud.PollInterval.Truncate(time.Second)))
	}
	if len(f.outbox.waiting) > 0 || told {
		wait = 0
	}
	request := seal.Object{
		"policy_version":        f.node.PolicyVersion(),
		"roster_version":        f.node.RosterVersion(),
		"witnessed":             int64(f.node.Witnessed()),
		"notices_after":         f.progress.noticed,
		"registrations_version": f.progress.registrations,
		"wait_seconds":          int64(wait / time.Second),
		"health":                health,
	}
	if report, err := f.node.Report(); err == nil {
		request["report"] = report
	}
	return request, told
}

// step adopts one member of the cloud's answer, and reports whether it was new.
type step struct {
	member string
	adopt  func(ctx context.Context, value any) (bool, error)
}

// adopt adopts the cloud's answer, and reports whether anything in it was new. The keys come
// before everything that is judged by them.
func (f *follower) adopt(ctx context.Context, answer seal.Object) bool {
	news, known := false, map[string]bool{}
	for _, s := range []step{
		{"roster", f.progress.adoptRoster}, {"policy", f.progress.adoptPolicy},
		{"registrations", f.progress.adoptRegistrations},
		{"integrations", f.integrations.adopt}, {"notices", f.progress.adoptNotices},
		{"checkpoint", f.progress.witness}, {"work", f.work.adopt},
	} {
		known[s.member] = true
		fresh, err := s.adopt(ctx, answer[s.member])
		news = news || fresh
		if err != nil {
			f.log.Warn("the cloud's answer", "member", s.member, "error", err.Error())
		}
	}
	for name := range answer {
		if !known[name] {
			f.log.Warn("the cloud's answer has an unknown member", "member", fmt.Sprintf("%.64q", name))
		}
	}
	return news
}
