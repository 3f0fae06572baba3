package agent_test

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/agent"
)

// scripted is an adapter that follows a test's script, and records its calls.
type scripted struct {
	mu     sync.Mutex
	calls  []string
	inside map[string]int // calls that are under way, by integration
	twice  bool           // two of them were at a time
	does   map[string]func(ctx context.Context) error
}

func newScripted() *scripted {
	return &scripted{inside: map[string]int{}, does: map[string]func(context.Context) error{}}
}

// told has the adapter do something at each call of a method.
func (s *scripted) told(method string, does func(ctx context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.does[method] = does
}

func (s *scripted) call(ctx context.Context, method, about string, d adapter.Desired) error {
	s.mu.Lock()
	s.calls = append(s.calls, strings.TrimSpace(method+" "+about))
	s.inside[d.IntegrationID]++
	s.twice = s.twice || s.inside[d.IntegrationID] > 1
	does := s.does[method]
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.inside[d.IntegrationID]--
	}()
	if does == nil {
		return nil
	}
	return does(ctx)
}

// count is how often the adapter was asked this.
func (s *scripted) count(call string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, c := range s.calls {
		if c == call {
			n++
		}
	}
	return n
}

// after returns the adapter's calls after the last call of this.
func (s *scripted) after(call string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.calls) - 1; i >= 0; i-- {
		if s.calls[i] == call {
			return slices.Clone(s.calls[i+1:])
		}
	}
	return nil
}

func (s *scripted) overlapped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.twice
}

func (s *scripted) Check(ctx context.Context, d adapter.Desired) error {
	return s.call(ctx, "check", "", d)
}

func (s *scripted) Withdraw(ctx context.Context, d adapter.Desired) error {
	return s.call(ctx, "withdraw", "", d)
}

func (s *scripted) Stage(ctx context.Context, d adapter.Delivery) error {
	return s.call(ctx, "stage", d.TransactionID, d.Desired)
}

func (s *scripted) Promote(ctx context.Context, d adapter.Delivery) error {
	return s.call(ctx, "promote", d.TransactionID, d.Desired)
}

// until is work that continues until it is released, or its context ends.
func until(release <-chan struct{}) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// scripts has the node use a scripted adapter for a kind.
func (d *deployment) scripts(kind string) *scripted {
	s := newScripted()
	d.adapt = func(a *agent.Agent) { agent.Adapt(a, kind, s) }
	return s
}
