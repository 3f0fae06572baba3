package casefile

import (
	"context"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Choice selects events of a log.
type Choice struct {
	Types         []string // of one of these types
	TransactionID string   // about this transaction; "" for any

	// Among, if there are any, are all transactions that are asked for in turn. What
	// has no index of transactions looks for all of them at once.
	Among []string
}

// Chosen yields the copies of events of a log that match a choice, in the order of
// [Case.Events]. Unlike [Case.Select] it does not yield other copies of the same
// sequence. It counts neither deliveries nor copies. The pointer is valid until the next
// one, and nil beside an error.
func (c *Case) Chosen(ctx context.Context, log Log, choice Choice) iter.Seq2[*Typed, error] {
	if choice.TransactionID == "" {
		return c.typed(ctx, log, choice.Types)
	}
	return stream(func(yield func(*Typed, error) bool) error {
		return c.read(func(r *sqlite.Conn) error {
			m, err := openChosen(c, r, log, choice)
			if err != nil {
				return err
			}
			defer m.close()
			return m.run(ctx, func(e *facts.Event, _ error) bool { return yield(&Typed{Event: *e}, nil) })
		})
	})
}

func openChosen(c *Case, r *sqlite.Conn, log Log, choice Choice) (*merge, error) {
	numbers, err := wordNumbers(r, choice.Types)
	if err != nil {
		return nil, err
	}
	m := &merge{c: c, r: r}
	// The plus keeps the engine from reading the whole log where it has the
	// events of the transaction in an index.
	about := among(numbers) + " AND transaction_id = ?"
	err = r.TakeAll(map[**sqlite.Stmt]string{
		&m.packed:   ofEvents(eventColumns, "+"+inEvents+about),
		&m.variants: ofVariants("0", "log = ?"+about),
	})
	if err != nil {
		m.close()
		return nil, err
	}
	first, last := packedRange(log, 0, maxSequence)
	m.packed.Bind(first, last)
	m.variants.Bind(log.Number)
	m.packed.BindText(2, choice.TransactionID)
	m.variants.BindText(1, choice.TransactionID)
	return m, nil
}

// Typed is a copy of an event that was selected by its type, and the place of its
// data.
type Typed struct {
	facts.Event
	Said []byte // what its data says, as package evidence writes it, where evidence has that instead of the data
	body bodyPlace
}

// typed is Chosen for any transaction.
func (c *Case) typed(ctx context.Context, log Log, types []string) iter.Seq2[*Typed, error] {
	return stream(func(yield func(*Typed, error) bool) error {
		return inPlace(c, func(m *merge) (err error) {
			if m.types, err = wordNumbers(m.r, types); err != nil {
				return err
			}
			m.bare = false
			m.at(log.Number, Stretch{0, math.MaxInt64})
			var t Typed
			return m.run(ctx, func(e *facts.Event, _ error) bool {
				if t = (Typed{Event: *e, body: m.packedRest.body}); e.Ref < 0 {
					t.body = m.variantRest.body
				}
				return yield(&t, nil)
			})
		})
	})
}

// among is the condition that an event is of one of the types.
func among(words []int64) string {
	numbers := make([]string, len(words))
	for i, n := range words {
		numbers[i] = strconv.FormatInt(n, 10)
	}
	return " AND type IN (" + strings.Join(numbers, ", ") + ")"
}

// wordNumbers returns the numbers of texts, 0 for one that no event has.
func wordNumbers(c *sqlite.Conn, texts []string) ([]int64, error) {
	numbers := []int64{0} // so that there is always one
	for _, text := range texts {
		n, err := c.Number("SELECT word FROM words WHERE text = ?", text)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}
