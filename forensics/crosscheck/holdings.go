package crosscheck

import (
	"context"
	"encoding/binary"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// mostSpans bounds the spans of a case that are kept. A log that has more is read
// once more when they are needed again.
const mostSpans = 1 << 17

// kept are the spans of a log; whole is false if they are too many to keep.
type kept struct {
	spans []span
	whole bool
}

// readLogs reads every log once: along its hashes, and over the events that each container
// holds of it.
func (h *holdings) readLogs(ctx context.Context) error {
	o := newOverlap(h.containers)
	room := mostSpans
	for _, log := range sortedLogs(h.logs) {
		anchors := h.wants.checkpoints[log]
		if r := h.reports[log]; r != nil {
			anchors = r.anchors
		}
		s, k := newSpine(log, highestAnchors(slices.Clone(anchors)), h.readableIn(log)), &kept{whole: true}
		for one, err := range h.spansOf(ctx, log, s) {
			if err != nil {
				return err
			}
			o.addContainers(log, one.makeup.containers(), int64(one.last-one.first)+1)
			o.extendRun(log, one.makeup.containers(), one)
			o.differ(one.makeup)
			if room--; room < 0 {
				k.spans, k.whole = nil, false
			}
			if k.whole {
				k.spans = append(k.spans, one)
			}
		}
		if err := h.endSpine(ctx, log, s); err != nil {
			return err
		}
		h.spines[log], h.spans[log] = s, k
	}
	h.group(o)
	return h.compareStores(ctx)
}

// endSpine ends a spine. The tenant log is anchored by its own last signature.
func (h *holdings) endSpine(ctx context.Context, log facts.Log, s *spine) error {
	if log.IsTenant() && s.last > 0 {
		for e, err := range h.in.Events(ctx, log, s.last, s.last) {
			if err != nil {
				return err
			}
			held, err := h.isGenuine(log, e)
			if err != nil {
				return err
			}
			if held {
				s.anchor(s.last, s.lastAt)
				break
			}
		}
	}
	s.freeMemory()
	return nil
}

// spansOf yields the spans of a log, ascending, and shows the events to a spine
// if there is one.
func (h *holdings) spansOf(ctx context.Context, log facts.Log, s *spine) iter.Seq2[span, error] {
	return evidence.Stream(func(yield func(span) error) error {
		return (&spanReader{h: h, log: log, spine: s, yield: yield}).readLog(ctx)
	})
}

// mostMakeups bounds the makeups that are known again.
const mostMakeups = 1 << 12

// makeup returns the makeup of some copies: mostly one that there was before.
func (h *holdings) makeup(kinds []kind) *makeup {
	key := h.key[:0]
	for _, k := range kinds {
		key = append(key, k.state...)
		key = binary.AppendUvarint(strconv.AppendBool(key, k.genuine), uint64(len(k.containers)))
		for _, c := range k.containers {
			key = binary.AppendVarint(key, c)
		}
	}
	h.key = key
	if p := h.makeups[string(key)]; p != nil {
		return p
	}
	p := &makeup{kinds: slices.Clone(kinds)}
	for i := range p.kinds {
		p.kinds[i].containers = slices.Clone(p.kinds[i].containers)
	}
	if len(h.makeups) >= mostMakeups {
		clear(h.makeups)
	}
	h.makeups[string(key)] = p
	return p
}

// mostUnread bounds the statements that are remembered not to hold. Beyond it no
// log is taken for whole anywhere.
const mostUnread = 1 << 16

// readableIn returns a filter for the events of a log that would have been read as statements:
// events under a pinned key of its owner, without statements whose signature does not hold.
func (h *holdings) readableIn(log facts.Log) func(*facts.Event) bool {
	return func(e *facts.Event) bool {
		return h.isOwners(log, e.KeyID) && !h.unread[e.Ref] && len(h.unread) < mostUnread
	}
}

// holdings are the events that the stores of the case hold of its logs.
type holdings struct {
	*exam
	wants      *wants
	reports    reportsByLog
	parts      []part
	containers []evidence.SourceContainer
	held       map[int64]storeSet // of each container
	consist    [][]int64          // the containers of each store
	fileSets   []*fileSet         // the same
	readings   []reading          // of each store
	heldBack   []heldBack         // findings about the events that each store lacks
	gapped     storeSet           // those that lack events between two that they have
	partial    partial
	leftOut    bool // files were left out that may have missing events
	overlap    *overlap
	given      bool // the user named the stores
	stores     grouping
	spans      map[facts.Log]*kept
	histories  map[facts.Log][]heldHistory
	files      map[int64][]string // the paths of containers, see filesOf
	unread     map[facts.Ref]bool // statements that do not hold, up to mostUnread
	makeups    map[string]*makeup
	key        []byte // memory of the key of one
	collected  collected
	empty      []finding.Evidence // files
}

// compareStores finds which store holds which events of each log.
func (h *holdings) compareStores(ctx context.Context) error {
	for _, log := range sortedLogs(h.logs) {
		if err := h.compareIn(ctx, log); err != nil {
			return err
		}
	}
	if err := h.countMissing(ctx); err != nil {
		return err
	}
	for i := range h.heldBack {
		s := &h.result.Stores[i]
		if err := h.blame(ctx, &h.heldBack[i], h.consist[i], s.Events, setOf(i)); err != nil {
			return err
		}
	}
	return nil
}

func (h *holdings) compareIn(ctx context.Context, log facts.Log) error {
	m := &matrix{h: h, log: log, stores: make([]holding, len(h.stores.stores)), own: h.ownJournals(log),
		seen: map[int64]bool{}}
	defer func() {
		if m.again != nil {
			m.again.stop()
		}
	}()
	for one, err := range h.spansAgain(ctx, log) {
		if err == nil {
			err = m.addSpan(ctx, one)
		}
		if err != nil {
			return err
		}
	}
	m.result.Unsound = h.spines[log].unsound
	h.gapped = h.gapped.union(m.gapped)
	return m.endLog(ctx)
}

// spansAgain yields the spans of a log once more: those that were kept, if all were.
func (h *holdings) spansAgain(ctx context.Context, log facts.Log) iter.Seq2[span, error] {
	if k := h.spans[log]; k.whole {
		return k.allSpans()
	}
	return h.spansOf(ctx, log, nil)
}

func (k *kept) allSpans() iter.Seq2[span, error] {
	return func(yield func(span, error) bool) {
		for _, one := range k.spans {
			if !yield(one, nil) {
				return
			}
		}
	}
}

// holders returns the stores that containers belong to.
func (h *holdings) holders(containers []int64) (stores storeSet) {
	for _, c := range containers {
		stores = stores.union(h.held[c])
	}
	return stores
}

// firstStore names the first of some stores, and counts the others.
func (h *holdings) firstStore(stores storeSet) string {
	for i := range stores.all() {
		first := h.stores.stores[i].Name
		if n := stores.count() - 1; n > 0 {
			first += " and " + safetext.Count(n, "other store")
		}
		return first
	}
	return ""
}

// storeNames names stores.
func (h *holdings) storeNames(stores storeSet) string {
	var names []string
	for i := range stores.all() {
		names = append(names, h.stores.stores[i].Name)
	}
	return strings.Join(names, ", ")
}
