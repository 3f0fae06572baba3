package store

import (
	"runtime"
	"sync"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/tasks"
	"github.com/svc-edge/svc-verify/trust"
)

const (
	// enough is how many events of a log are judged at once: signatures under one key
	// cost less together. If a chunk has fewer, they wait for others.
	enough = 64

	// mostWaiting bounds the events that wait, over all logs.
	mostWaiting = 1 << 14
)

// waiting is an event that waits to be judged.
type waiting struct {
	event.Header
	of *entry
}

// judges judge the events of logs that come a few at a time, many together.
type judges struct {
	root    *trust.Root
	judge   *walk.Judge
	logs    map[facts.Log][]waiting
	waiting int
	work    chan work
	running sync.WaitGroup
	out     sync.WaitGroup // work that is not done

	mu  sync.Mutex
	err error
}

// work is events of one log to judge.
type work struct {
	log    facts.Log
	events []waiting
}

func newJudges(root *trust.Root, workers int) *judges {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	j := &judges{root: root, judge: walk.NewJudge(root), logs: map[facts.Log][]waiting{}, work: make(chan work)}
	for range workers {
		j.running.Go(func() {
			for w := range j.work {
				j.noteError(tasks.Guard(func() error { return j.do(w) }))
				j.out.Done()
			}
		})
	}
	return j
}

// endWorkers ends the workers.
func (j *judges) endWorkers() {
	close(j.work)
	j.running.Wait()
}

func (j *judges) noteError(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = err
	}
}

// do judges events.
func (j *judges) do(w work) error {
	headers := make([]*event.Header, len(w.events))
	for i := range w.events {
		headers[i] = &w.events[i].Header
	}
	if err := j.judge.Judge(w.log, headers); err != nil {
		return err
	}
	for i := range w.events {
		w.events[i].of.judged(headers[i])
	}
	return nil
}

// judgeEvent has an event judged, at some time before waitForAll returns.
func (j *judges) judgeEvent(log facts.Log, h *event.Header, e *entry) {
	all := append(j.logs[log], waiting{*h, e})
	j.logs[log] = all
	if j.waiting++; len(all) >= 4*enough {
		j.hand(log)
	} else if j.waiting >= mostWaiting {
		j.handAll()
	}
}

func (j *judges) hand(log facts.Log) {
	all := j.logs[log]
	delete(j.logs, log)
	j.waiting -= len(all)
	j.out.Add(1)
	j.work <- work{log, all}
}

func (j *judges) handAll() {
	for log := range j.logs {
		j.hand(log)
	}
}

// waitForAll waits until all events are judged.
func (j *judges) waitForAll() error {
	j.handAll()
	j.out.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// judged records the judgement of an event.
func (e *entry) judged(h *event.Header) { e.signed, e.computed = h.Signed, h.Computed }

// group is the events of one log in a chunk.
type group struct {
	log    facts.Log
	events []*event.Header
	at     []int
}

// groups sorts the events of a chunk by log.
type groups struct {
	headers []event.Header
	all     []group
	byLog   map[string]int
	name    []byte
	last    int
}

func (g *groups) reset() {
	g.headers, g.all, g.last = g.headers[:0], g.all[:0], 0
	clear(g.byLog)
}

// sortEvents sorts the events of a chunk.
func (g *groups) sortEvents(events []facts.Arrival) {
	g.headers = append(g.headers[:0], make([]event.Header, len(events))...)
	for i := range events {
		l, h := events[i].Line, &g.headers[i]
		h.Link, h.Recorded, h.Signature = l.Link, l.Recorded, l.Signature
		to := g.groupOf(l)
		if n := len(to.events); n > 0 && to.events[n-1].KeyID == string(l.KeyID) {
			h.KeyID = to.events[n-1].KeyID
		} else {
			h.KeyID = string(l.KeyID)
		}
		to.events, to.at = append(to.events, h), append(to.at, i)
	}
}

// groupOf returns the group of an event, most often the same as for the event before it.
func (g *groups) groupOf(l *event.Line) *group {
	if len(g.all) > 0 {
		if last := &g.all[g.last]; last.log.LogID == string(l.LogID) && last.log.TenantID == string(l.TenantID) {
			return last
		}
	}
	if g.byLog == nil {
		g.byLog = map[string]int{}
	}
	g.name = append(append(append(g.name[:0], l.TenantID...), 0), l.LogID...)
	n, ok := g.byLog[string(g.name)]
	if !ok {
		n = len(g.all)
		g.byLog[string(g.name)] = n
		g.grow(facts.Log{TenantID: string(l.TenantID), LogID: string(l.LogID)})
	}
	g.last = n
	return &g.all[n]
}

// grow adds a group, with the memory of an earlier one.
func (g *groups) grow(log facts.Log) {
	if n := len(g.all); n < cap(g.all) {
		g.all = g.all[:n+1]
		was := &g.all[n]
		*was = group{log, was.events[:0], was.at[:0]}
		return
	}
	g.all = append(g.all, group{log: log})
}
