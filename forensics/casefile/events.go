package casefile

import (
	"context"
	"errors"
	"iter"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Events yields every copy of the events of a log whose sequence is at least
// from and at most to, ascending by sequence and digest.
func (c *Case) Events(ctx context.Context, log Log, from, to uint64) iter.Seq2[facts.Event, error] {
	return stream(func(yield func(facts.Event, error) bool) error {
		return c.read(func(r *sqlite.Conn) error {
			m, err := openMerge(c, r)
			if err != nil {
				return err
			}
			defer m.close()
			m.at(log.Number, Stretch{from, to})
			return m.run(ctx, byValue(yield))
		})
	})
}

// EventsInPlace is [Case.Events] for callers that read very many events: the event
// is valid until the next one, has neither transaction id nor deliveries, and is
// nil beside an error.
func (c *Case) EventsInPlace(ctx context.Context, log Log, from, to uint64) iter.Seq2[*facts.Event, error] {
	return stream(func(yield func(*facts.Event, error) bool) error {
		return inPlace(c, func(m *merge) error {
			m.at(log.Number, Stretch{from, to})
			return m.run(ctx, yield)
		})
	})
}

// inPlace calls f with a merge that reads the rows of events from their pages,
// all of one state.
func inPlace(c *Case, f func(*merge) error) error {
	return c.read(func(r *sqlite.Conn) error {
		return r.Snapshot(func() error {
			m := &merge{c: c, r: r, bare: true}
			defer func() { m.close() }()
			err := r.TakeAll(map[**sqlite.Stmt]string{
				&m.packed:   ofEvents(copyColumns, inEvents),
				&m.variants: ofVariants("0", inVariants),
				&m.copies:   countOfCopies,
			})
			if err != nil {
				return err
			}
			if m.tree, err = sqlite.OpenTree(r, "events"); err != nil {
				return err
			}
			return f(m)
		})
	})
}

// countOfCopies counts the variants of a sequence.
const countOfCopies = "SELECT count(*) FROM variants WHERE log = ? AND sequence = ?"

// ofEvents asks for columns of the rows of events under a condition.
func ofEvents(columns, condition string) string {
	return "SELECT event, " + columns + " FROM events WHERE " + condition + " ORDER BY event"
}

// ofVariants asks for rows of variants under a condition, with an expression for
// the number of their later deliveries.
func ofVariants(deliveries, condition string) string {
	return "SELECT -variant, " + copyColumns + ", sequence, digest, " + deliveries + " FROM variants WHERE " +
		condition + " ORDER BY sequence, digest"
}

// The columns of ofVariants behind copyColumns.
const (
	colSequence = columnCount + iota
	colDigest
	colDeliveries
)

// The rows within sequences of a log.
const (
	inEvents   = "event BETWEEN ? AND ?"
	inVariants = "log = ? AND sequence BETWEEN ? AND ?"
)

// rest is what a row has beside its event.
type rest struct {
	body      bodyPlace
	container int64 // where the copy was first found
}

// merge reads events, variants and the counts of deliveries side by side.
type merge struct {
	c          *Case
	r          *sqlite.Conn
	packed     *sqlite.Stmt // events
	tree       *sqlite.Tree // the same, if they are read page by page
	row        [rowFields]sqlite.Field
	variants   *sqlite.Stmt
	copies     *sqlite.Stmt // how many variants a sequence has; nil if nobody asks
	deliveries *sqlite.Stmt // of rows of events; nil if nobody asks

	types                   []int64 // of the events that are asked for; nil for all
	packedRest, variantRest rest    // of the next ones, if rows are read in place

	log                     int64       // that is being read
	nextPacked, nextVariant facts.Event // valid if Ref is not 0
	digest                  []byte      // of the next variant, as it is kept
	counted                 facts.Ref   // the row that deliveries stands at; 0: at its end
	words                   []string    // by number, those that were met
	key                     int64       // of the row before, most often that of the next one too
	keyID                   string
	bare                    bool // neither transaction ids nor deliveries are read
}

func openMerge(c *Case, r *sqlite.Conn) (*merge, error) {
	m := &merge{c: c, r: r}
	err := r.TakeAll(map[**sqlite.Stmt]string{
		&m.packed:     ofEvents(eventColumns, inEvents),
		&m.variants:   ofVariants("(SELECT count(*) FROM deliveries WHERE event = -variant)", inVariants),
		&m.copies:     countOfCopies,
		&m.deliveries: "SELECT event, count(*) FROM deliveries WHERE event BETWEEN ? AND ? GROUP BY event ORDER BY event",
	})
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// at makes a merge read a stretch of a log.
func (m *merge) at(log int64, s Stretch) {
	m.packed.Reset()
	m.variants.Reset()
	m.log = log
	m.variants.Bind(log, clamp(s.First), clamp(s.Last))
	first, last := packedRange(Log{Number: log}, s.First, s.Last)
	m.packed.Bind(first, last)
	if m.deliveries != nil {
		m.deliveries.Reset()
		m.deliveries.Bind(first, last)
	}
	if m.tree != nil {
		m.tree.Between(first, last)
	}
}

func (m *merge) close() {
	m.tree.Close()
	m.r.KeepAll(m.packed, m.variants, m.copies, m.deliveries)
}

// contextEvery is how many sequences, or copies of one, are read between two
// looks at whether anyone still waits for them.
const contextEvery = 128

// run yields the copies, those of one sequence together.
func (m *merge) run(ctx context.Context, yield func(*facts.Event, error) bool) error {
	if err := errors.Join(m.stepPacked(), m.stepVariant(), m.stepDeliveries()); err != nil {
		return err
	}
	for n := 0; m.nextPacked.Ref != 0 || m.nextVariant.Ref != 0; n++ {
		if n%contextEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var err error
		if m.nextVariant.Ref == 0 || m.nextPacked.Ref != 0 && m.nextPacked.Link.Sequence < m.nextVariant.Link.Sequence {
			err = m.yieldPacked(yield)
		} else {
			err = m.yieldSame(ctx, yield)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// byValue lets run yield to whoever wants to keep what it is given.
func byValue(yield func(facts.Event, error) bool) func(*facts.Event, error) bool {
	return func(e *facts.Event, err error) bool { return yield(*e, err) }
}

// yieldPacked yields the next row of events, the only copy of its sequence.
func (m *merge) yieldPacked(yield func(*facts.Event, error) bool) error {
	e := &m.nextPacked
	e.Copies = 1
	if err := m.count(e); err != nil {
		return err
	}
	if !yield(e, nil) {
		return errStop
	}
	return m.stepPacked()
}

// count adds the deliveries of a copy, if it is a row of events.
func (m *merge) count(e *facts.Event) error {
	for m.counted != 0 && e.Ref > 0 && m.counted < e.Ref {
		if err := m.stepDeliveries(); err != nil {
			return err
		}
	}
	if m.counted != 0 && m.counted == e.Ref {
		e.Deliveries += m.deliveries.Int(1)
	}
	return nil
}

func (m *merge) stepDeliveries() error {
	if m.deliveries == nil {
		return nil
	}
	more, err := m.deliveries.Step()
	m.counted = 0
	if more {
		m.counted = facts.Ref(m.deliveries.Int(0))
	}
	return err
}

func (m *merge) stepPacked() error {
	var err error
	if m.tree == nil {
		err = m.readCopy(m.packed, &m.nextPacked)
	} else {
		err = m.readRow(&m.nextPacked)
	}
	m.nextPacked.Link.Sequence = uint64(m.nextPacked.Ref) & maxSequence
	return err
}

// readCopy reads the next row of events or variants. At the end the Ref
// is 0.
func (m *merge) readCopy(s *sqlite.Stmt, e *facts.Event) error {
	transaction := e.TransactionID // often that of the next event too
	*e = facts.Event{}
	more, err := s.Step()
	if err != nil || !more {
		return err
	}
	key, typ := readEvent(e, s)
	if !m.bare {
		e.Deliveries = 1
		if e.TransactionID = transaction; string(s.Blob(colTransactionID)) != transaction {
			e.TransactionID = s.Text(colTransactionID)
		}
	}
	return m.name(e, key, typ)
}

// name sets the key id and the type of a row.
func (m *merge) name(e *facts.Event, key, typ int64) (err error) {
	if m.keyID == "" || key != m.key {
		if m.keyID, err = m.word(key); err != nil {
			return err
		}
		m.key = key
	}
	e.KeyID = m.keyID
	e.Type, err = m.word(typ)
	return err
}

// word returns an entry of the dictionary of types and key ids.
func (m *merge) word(number int64) (string, error) {
	if n := uint64(number); n < uint64(len(m.words)) && m.words[n] != "" {
		return m.words[n], nil
	}
	text, err := m.c.word(m.r, number)
	if number >= 0 && number < namesKept {
		m.words = append(m.words, make([]string, max(0, int(number)+1-len(m.words)))...)
		m.words[number] = text
	}
	return text, err
}
