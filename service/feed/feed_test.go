package feed

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/topic"
)

// TestEvents: every topic becomes an event of the format, signed by the node.
func TestEvents(t *testing.T) {
	b := newBench(t, nil)
	for _, about := range topic.All() {
		b.publish(1, about)
	}
	answer := must.Get(b.poll(t.Context(), query{fromOldest: true}))(b)
	events := seal.List(answer, "events")
	if len(events) != len(topic.All()) || seal.Text(answer, "cursor") != fmt.Sprintf("mesh.oslo.1.%d", len(topic.All())) {
		t.Fatalf("%d events, cursor %s", len(events), seal.Text(answer, "cursor"))
	}
	for i, e := range events {
		envelope := e.(seal.Object)
		s := seal.Member(envelope, "statement")
		if !seal.Signed("svc.trust-event.v1", seal.Canonical(s), nodeKey.Public(), seal.Text(envelope, "signature")) {
			t.Errorf("event %d is not signed by the node", i+1)
		}
		check.OK(t, schemas.Conformance("trust-event", seal.Canonical(s)), "event %d", i+1)
		check.That(t, seal.Text(s, "topic") == topic.All()[i] && seal.Integer(s, "sequence") == int64(i+1) &&
			seal.Text(s, "node_id") == nodeID && seal.Text(s, "tenant_id") == tenant, "event %d is %v", i+1, s)
	}
}

// TestUpdateThatFails: events published in it never existed, and their sequence is given to
// the next one, whether Wake is called or not.
func TestUpdateThatFails(t *testing.T) {
	b := newBench(t, nil)
	b.publish(2, "service.claimed")
	nope := errors.New("nope")
	for i := range int64(3) {
		if err := b.Store.Update(func(tx *durable.Tx) error {
			must.Do(b, b.Publish(tx, "service.claimed", seal.Object{}))
			must.Do(b, b.Publish(tx, "service.claimed", seal.Object{}))
			return nope
		}); !errors.Is(err, nope) {
			t.Fatal(err)
		}
		got, _, err := b.get(query{after: 2 + uint64(i)})
		check.That(t, err == nil && len(got) == 0, "found %v, %v", got, err)
		must.Do(b, b.Store.Update(func(tx *durable.Tx) error { return b.Publish(tx, "service.claimed", seal.Object{}) }))
		got, _, err = b.get(query{after: 2 + uint64(i)})
		check.That(t, err == nil && slices.Equal(got, []int64{3 + i}), "found %v, %v", got, err)
	}
}

// TestRestart: a feed continues the sequences of the last one.
func TestRestart(t *testing.T) {
	b := newBench(t, nil)
	b.publish(300, "service.claimed")
	again := must.Get(New(b.Config))(b)
	b.Feed = again
	b.publish(1, "service.claimed")
	got, cursor, err := b.get(query{after: 299})
	check.That(t, err == nil && slices.Equal(got, []int64{300, 301}) &&
		cursor == "mesh.oslo.1.301", "%v %v %v", got, cursor, err)
	// A store that lost an event is no feed.
	must.Do(b, b.Store.Update(func(tx *durable.Tx) error { return tx.Delete(kindEvent, eventID(200)) }))
	_, err = New(b.Config)
	check.That(t, err != nil && strings.Contains(err.Error(), "expected 200"), "%v", err)
}

// TestRetentionByNumber: the newest events are kept, and a cursor is good as
// long as nothing after it was dropped.
func TestRetentionByNumber(t *testing.T) {
	for name, publish := range map[string]func(*bench){
		"each alone":  func(b *bench) { times(25, func() { b.publish(1, "service.claimed") }) },
		"all at once": func(b *bench) { b.publish(25, "service.claimed") },
		"after a restart": func(b *bench) {
			b.publish(24, "service.claimed")
			again := must.Get(New(b.Config))(b)
			b.Feed = again
			b.publish(1, "service.claimed")
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, func(c *Config) { c.MaxEvents = 10 })
			publish(b)
			b.expect(query{fromOldest: true}, "16 17 18 19 20 21 22 23 24 25, mesh.oslo.1.25")
			b.expect(query{after: 14}, "410 cursor_expired")
			b.expect(query{after: 15}, "16 17 18 19 20 21 22 23 24 25, mesh.oslo.1.25")
			b.expect(query{after: 24}, "25, mesh.oslo.1.25")
			b.expect(query{after: 25}, ", mesh.oslo.1.25")
			b.expect(query{after: 26}, "410 cursor_expired")
			entries, err := b.Store.List(kindEvent, "", 100)
			check.That(t, err == nil && len(entries) == 10, "%d events are stored, %v", len(entries), err)
		})
	}
}

func times(n int, f func()) {
	for range n {
		f()
	}
}

// expect polls and compares.
func (b *bench) expect(q query, want string) {
	b.Helper()
	list, cursor, err := b.get(q)
	got := strings.Trim(fmt.Sprint(list), "[]") + ", " + cursor
	if err != nil {
		got = code(err)
	}
	check.Equal(b, got, want, "after %d", q.after)
}

// TestRetentionByAge: an event of exactly the greatest age is still kept.
func TestRetentionByAge(t *testing.T) {
	b := newBench(t, func(c *Config) { c.MaxAge = time.Hour })
	start := b.clock.now
	for i := range 3 {
		b.clock.set(start.Add(time.Duration(i) * time.Minute))
		b.publish(1, "service.claimed")
	}
	for _, c := range []struct {
		at    time.Duration
		after uint64
		want  string
	}{
		{time.Hour, 0, "1 2 3, mesh.oslo.1.3"},
		{time.Hour + time.Millisecond, 0, "410 cursor_expired"},
		{time.Hour + time.Millisecond, 1, "2 3, mesh.oslo.1.3"},
		{time.Hour + time.Minute, 1, "2 3, mesh.oslo.1.3"},
		{time.Hour + time.Minute + time.Millisecond, 1, "410 cursor_expired"},
		{time.Hour + 2*time.Minute + time.Millisecond, 2, "410 cursor_expired"},
		{time.Hour + 2*time.Minute + time.Millisecond, 3, ", mesh.oslo.1.3"},
	} {
		b.clock.set(start.Add(c.at))
		b.expect(query{after: c.after}, c.want)
	}
	b.expect(query{fromOldest: true}, ", mesh.oslo.1.3")
	// The sequence continues, also over a restart, and old events leave the store.
	again := must.Get(New(b.Config))(b)
	b.Feed = again
	b.publish(1, "service.claimed")
	b.expect(query{fromOldest: true}, "4, mesh.oslo.1.4")
	entries, err := b.Store.List(kindEvent, "", 100)
	check.That(t, err == nil && len(entries) == 1, "%d events are stored, %v", len(entries), err)
}

// TestDefaults: 4,096 events and 7 days.
func TestDefaults(t *testing.T) {
	b := newBench(t, nil)
	start := b.clock.now
	b.clock.set(start)
	b.publish(4096, "service.claimed")
	got, _, err := b.get(query{after: 0})
	check.That(t, err == nil && len(got) == 256, "%v %v", len(got), err)
	b.publish(1, "service.claimed")
	b.expect(query{after: 0}, "410 cursor_expired")
	b.clock.set(start.Add(4097*time.Millisecond + 7*24*time.Hour))
	b.expect(query{after: 4096}, "4097, mesh.oslo.1.4097")
	b.clock.set(start.Add(4097*time.Millisecond + 7*24*time.Hour + time.Millisecond))
	b.expect(query{after: 4096}, "410 cursor_expired")
}

// TestTopics: events of other topics move the cursor too.
func TestTopics(t *testing.T) {
	b := newBench(t, nil)
	b.publish(300, "service.claimed")
	b.publish(1, "certificate.staged")
	b.publish(2, "service.claimed")
	b.expect(query{topics: []string{"certificate.staged"}}, "301, mesh.oslo.1.303")
	b.expect(query{topics: []string{"certificate.promoted"}}, ", mesh.oslo.1.303")
	b.expect(query{after: 300, topics: []string{"certificate.promoted", "certificate.staged"}}, "301, mesh.oslo.1.303")
}

// TestLimitsOfAnAnswer: 256 events or 1 MiB, and nothing is passed over.
func TestLimitsOfAnAnswer(t *testing.T) {
	b := newBench(t, nil)
	b.publish(257, "service.claimed")
	if got, cursor, err := b.get(query{}); err != nil || len(got) != 256 || cursor != "mesh.oslo.1.256" {
		t.Error(len(got), cursor, err)
	}
	b.expect(query{after: 256}, "257, mesh.oslo.1.257")

	b.publishData(64, "service.claimed", seal.Object{"text": strings.Repeat("x", maxData-len(`{"text":""}`))})
	seen := []int64{}
	for q := (query{after: 257}); q.after < 321; {
		answer := must.Get(b.poll(t.Context(), q))(b)
		n := len(seal.Canonical(answer))
		check.That(t, n <= 1<<20, "an answer of %d bytes", n)
		list := sequences(answer)
		must.That(t, len(list) != 0, "no event came")
		seen = append(seen, list...)
		q.after = uint64(list[len(list)-1])
	}
	check.That(t, len(seen) == 64 && seen[0] == 258 && seen[63] == 321, "found %v", seen)
}

func nest(levels int) any {
	if levels == 0 {
		return "x"
	}
	return []any{nest(levels - 1)}
}

func TestValidate(t *testing.T) {
	text := func(n int) seal.Object { return seal.Object{"text": strings.Repeat("x", n-len(`{"text":""}`))} }
	for name, c := range map[string]struct {
		topic string
		data  seal.Object
		want  string
	}{
		"plain":      {"service.claimed", seal.Object{}, ""},
		"no topic":   {"", seal.Object{}, "expected a topic"},
		"near miss":  {"service.claimed ", seal.Object{}, "expected a topic"},
		"16 levels":  {"service.claimed", seal.Object{"a": nest(15)}, ""},
		"17 levels":  {"service.claimed", seal.Object{"a": nest(16)}, "found 17"},
		"in objects": {"service.claimed", seal.Object{"a": []any{seal.Object{"b": nest(14)}}}, "found 17"},
		"32 KiB":     {"service.claimed", text(maxData), ""},
		"more":       {"service.claimed", text(maxData + 1), "found 32769"},
	} {
		err := Validate(c.topic, c.data)
		check.That(t, (err == nil) == (c.want == "") && (err == nil || strings.Contains(err.Error(), c.want)),
			"%s: %v", name, err)
	}
	b := newBench(t, nil)
	check.That(t, b.Store.Update(func(tx *durable.Tx) error { return b.Publish(tx, "x", seal.Object{}) }) != nil,
		"an event of no topic was published")
}

// TestManyAtOnce: while several publish, each observer sees every event once and
// in order.
func TestManyAtOnce(t *testing.T) {
	const publishers, each = 4, 25
	b := newBench(t, nil)
	var all sync.WaitGroup
	for range publishers {
		all.Go(func() { times(each, func() { b.publish(2, "service.claimed") }) })
	}
	for range 3 {
		all.Go(func() {
			var seen []int64
			for q := (query{wait: time.Minute}); len(seen) < 2*publishers*each; {
				list, _, err := b.get(q)
				if err != nil || len(list) == 0 {
					t.Errorf("after %d: %v, %v", q.after, list, err)
					return
				}
				seen = append(seen, list...)
				q.after = uint64(list[len(list)-1])
			}
			for i, n := range seen {
				check.Equal(t, n, int64(i+1), "event came as number %d", i+1)
			}
		})
	}
	all.Wait()
	c := b.Counts()
	check.That(t, c.Delivered == 3*2*publishers*each && c.Batches >= 3, "%+v", c)
}
