package secretstore_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"os"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/kv"
	"github.com/svc-edge/svc-verify/service/secretstore/consumer"
)

// Modes of a service.
const (
	follows     = "follows"     // reads the store by the consumer rule before each answer
	slow        = "slow"        // only at the third question
	whenTold    = "when told"   // takes up a certificate at the reload alone
	stuck       = "stuck"       // keeps what it has
	unreachable = "unreachable" // does not answer
	reloadFails = "reload fails"
)

// service is the workload: it is another process, and here it does what it is
// told to. It reads the store as a consumer may.
type service struct {
	w       *world
	mode    string
	serves  []byte // leaf, DER
	asked   int    // since it was told what to do
	reloads []string
	store   consumer.Reader
}

// tell changes what the service does from now on.
func (s *service) tell(mode string) { s.mode, s.asked = mode, 0 }

// read takes up what the store's pointer names.
func (s *service) read() error {
	if s.store == nil {
		own, p := *s.w.settings, s.w.place
		own.TokenFile.Path += ".consumer"
		bearer := []byte(p.token(kv.ConsumerRules(p.mount, p.base)...))
		must.Do(s.w.t, os.WriteFile(own.TokenFile.Path, bearer, 0o600))
		s.store = p.client(&own)
	}
	g, err := consumer.Read(context.Background(), s.store)
	if err != nil {
		return err
	}
	pair, err := g.Certificate()
	if err != nil {
		return err
	}
	s.serves = pair.Certificate[0]
	return nil
}

// Reload checks that the file which is to be taken up holds the certificates
// that the pointer names.
func (s *service) Reload(ctx context.Context, file string) error {
	out := s.w.pass("reload")
	switch {
	case s.w.interrupted(out, crashBefore, stopBefore):
		return ctx.Err()
	case out == failUndone || s.mode == reloadFails:
		return errors.New("the program failed")
	}
	if !s.w.foreign {
		s.w.checkFile(file)
	}
	s.reloads = append(s.reloads, file)
	if s.mode == whenTold {
		doc, err := os.ReadFile(file)
		block, _ := pem.Decode(doc)
		if err != nil || block == nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		s.serves = block.Bytes
	}
	s.w.interrupted(out, crashAfter, stopAfter)
	return ctx.Err()
}

func (s *service) Probe(ctx context.Context, leaf []byte) error {
	out := s.w.pass("probe")
	switch {
	case s.w.interrupted(out, crashBefore, stopBefore):
		return ctx.Err()
	case out == failUndone:
		return errLost
	}
	if s.asked++; s.mode == unreachable {
		return errLost
	}
	if s.mode == follows || s.mode == slow && s.asked > 2 {
		if err := s.read(); err != nil && !s.w.foreign {
			s.w.t.Errorf("the workload cannot read: %v", err)
		}
	}
	if s.w.interrupted(out, crashAfter, stopAfter) {
		return ctx.Err()
	}
	if !bytes.Equal(s.serves, leaf) {
		return errors.New("it shows another certificate")
	}
	return nil
}
