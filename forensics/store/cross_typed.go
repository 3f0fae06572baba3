package store

import (
	"context"
	"iter"
	"strconv"
	"strings"
)

// Choice is which events of a log are asked for.
type Choice struct {
	Types         []string // of one of these types
	TransactionID string   // about this transaction; "" for any
}

// Chosen yields those copies of events of a log that are themselves what is asked
// for, in the order of [Case.Events], unlike [Case.Select], which shows with them
// what else stands in their place. How often each was delivered is not counted,
// nor how many copies of its sequence there are.
func (c *Case) Chosen(ctx context.Context, log Log, choice Choice) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		err := c.read(func(r *conn) error {
			m, err := c.chosen(r, log, choice)
			if err != nil {
				return err
			}
			defer m.close()
			return m.run(ctx, byValue(yield))
		})
		if err != nil && err != errStop {
			yield(Event{}, err)
		}
	}
}

func (c *Case) chosen(r *conn, log Log, choice Choice) (*merge, error) {
	among, err := among(r, choice.Types)
	if err != nil {
		return nil, err
	}
	// The plus keeps the engine from reading the whole log where it has the
	// events of the transaction in an index.
	packed, about := "event BETWEEN ? AND ?", ""
	if choice.TransactionID != "" {
		packed, about = "+event BETWEEN ? AND ?", " AND transaction_id = ?"
	}
	m := &merge{c: c, r: r}
	err = r.takeAll(map[**stmt]string{
		&m.packed:     "SELECT event, " + copyColumns + " FROM events WHERE " + packed + among + about + " ORDER BY event",
		&m.variants:   "SELECT -variant, " + copyColumns + ", sequence, 0, digest FROM variants WHERE log = ?" + among + about + " ORDER BY sequence, digest",
		&m.deliveries: "SELECT event, 0 FROM deliveries WHERE FALSE",
	})
	if err != nil {
		m.close()
		return nil, err
	}
	first, last := packedRange(log, 0, maxSequence)
	m.packed.bind(first, last)
	m.variants.bind(log.Number)
	if about != "" {
		m.packed.text(2, choice.TransactionID)
		m.variants.text(1, choice.TransactionID)
	}
	return m, nil
}

// among is the condition that an event is of one of the types.
func among(r *conn, types []string) (string, error) {
	numbers := []string{"0"} // no word has it
	for _, t := range types {
		n, err := r.number("SELECT word FROM words WHERE text = ?", t)
		if err != nil {
			return "", err
		}
		numbers = append(numbers, strconv.FormatInt(n, 10))
	}
	return " AND type IN (" + strings.Join(numbers, ", ") + ")", nil
}
