package receive

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// mostInGroup bounds how many requests one commit makes last. Requests that come while the
// disk is busy go into the next one.
const mostInGroup = 64

// mostCaptures bounds how many clients' captures are known at once. One that is
// forgotten is whole, and the client gets another.
const mostCaptures = 1024

// rest is how long nothing must come for the case to be let go.
const rest = 2 * time.Second

var errStopped = errors.New("the sink was stopped")

// job is a request on its way into the case.
type job struct {
	client  string
	at      time.Time
	request *ingest.Request
	kept    ingest.Kept
	err     chan error
}

// archive is the only writer of the case: one goroutine, which collects all waiting requests
// and makes them durable with one commit.
type archive struct {
	path     string
	options  []store.Option
	jobs     chan *job
	stopped  chan struct{}           // closed to end the work
	rested   func() <-chan time.Time // signals when the case is let go
	warn     func(string)
	w        *store.Writer // nil while the case is let go
	opened   bool          // it was held before
	captures map[string]*ingest.Capture
}

// keepRequest hands a request to the archive and waits until it is on the disk.
func (a *archive) keepRequest(j *job) (ingest.Kept, error) {
	select {
	case a.jobs <- j:
		err := <-j.err
		return j.kept, err
	case <-a.stopped:
		return ingest.Kept{}, errStopped
	}
}

// serveRequests works until stopped is closed, and lets go of the case.
func (a *archive) serveRequests() {
	rested := a.rested()
	for {
		select {
		case first := <-a.jobs:
			a.keepGroup(first)
			rested = a.rested()
		case <-a.stopped:
			a.recordReceived()
			a.letGo()
			return
		case <-rested:
			a.letGo()
		}
	}
}

// keepGroup keeps a request and those that wait behind it.
func (a *archive) keepGroup(first *job) {
	jobs := []*job{first}
	for waiting := true; waiting && len(jobs) < mostInGroup; {
		select {
		case j := <-a.jobs:
			jobs = append(jobs, j)
		default:
			waiting = false
		}
	}
	err := a.addRequests(jobs)
	if err != nil && a.w != nil {
		// The writer's state no longer matches the case.
		a.captures = nil
		a.letGo()
	}
	for _, j := range jobs {
		j.err <- err
	}
	if a.w != nil {
		a.mergeGroups()
	}
}

// mergeGroups merges the results of many groups, while no one waits for it.
func (a *archive) mergeGroups() {
	if err := a.w.Tidy(context.Background()); err != nil {
		a.warn("the case: " + err.Error())
		a.captures = nil
		a.letGo()
	}
}

// addRequests adds requests and commits them.
func (a *archive) addRequests(jobs []*job) error {
	if err := a.openCase(); err != nil {
		return err
	}
	for _, j := range jobs {
		c, err := a.captureOf(j)
		if err != nil {
			return err
		}
		if j.kept, err = c.Add(a.w, j.request); err != nil {
			return err
		}
	}
	return a.w.Commit()
}

// openCase acquires the case, unless it is held.
func (a *archive) openCase() error {
	if a.w != nil {
		return nil
	}
	options := slices.Clone(a.options)
	if a.opened { // it was checked when the work began
		options = append(options, store.Reopened())
	}
	w, err := store.OpenWrite(a.path, options...)
	if err != nil {
		return err
	}
	a.opened = true
	// A request is in one transaction, and a commit waits for the disk.
	w.CommitEvery(math.MaxInt)
	if err := errors.Join(w.Durable(), w.Tidy(context.Background())); err != nil {
		return errors.Join(err, w.LetGo())
	}
	a.w = w
	for client, c := range a.captures {
		if there, err := c.In(w); err != nil || !there {
			delete(a.captures, client)
		}
	}
	return nil
}

// recordReceived makes an entry of the sources that were received, if there are any.
func (a *archive) recordReceived() {
	if !a.opened {
		return
	}
	err := a.openCase()
	if err == nil {
		err = store.Record(a.w)
	}
	if err != nil {
		a.warn("the journal of custody: " + err.Error())
	}
}

// letGo closes the case. Everything that was acknowledged is in it, whether
// that works or not.
func (a *archive) letGo() {
	if a.w == nil {
		return
	}
	if err := a.w.LetGo(); err != nil {
		a.warn("closing the case: " + err.Error())
	}
	a.w = nil
}

// captureOf returns the capture of a client, a new one if there is none.
func (a *archive) captureOf(j *job) (*ingest.Capture, error) {
	if c, ok := a.captures[j.client]; ok {
		return c, nil
	}
	if a.captures == nil || len(a.captures) >= mostCaptures {
		a.captures = map[string]*ingest.Capture{}
	}
	c, err := ingest.NewCapture(a.w, "receive:"+j.client+"/"+j.at.UTC().Format(time.RFC3339Nano))
	if err == nil {
		a.captures[j.client] = c
	}
	return c, err
}
