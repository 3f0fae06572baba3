package otlp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/collector"
)

// asNode, in the environment, makes the test binary a node that writes events and exports
// them. service/interop/otelcol runs it too, against a real collector.
const asNode = "RUN_AS_NODE"

// nodeOrder is the task of such a node.
type nodeOrder struct {
	Dir      string // of the bench
	Endpoint string
	Halt     string // the point that it prints and at which it stops, "" for none
	Events   int    // that it writes at its start; -1 for ever more
}

// The points at which a node halts.
const (
	haltSigning   = "signing"   // the collector took a batch, the cursor is not yet written
	haltCommitted = "committed" // the cursor is written
)

func TestMain(m *testing.M) {
	if order := os.Getenv(asNode); order != "" {
		if err := playNode(order); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// playNode is the node. Its end is to be killed.
func playNode(text string) error {
	var order nodeOrder
	if err := json.Unmarshal([]byte(text), &order); err != nil {
		return err
	}
	t := &inNode{}
	b := &bench{TB: t, dir: order.Dir}
	b.open()
	must.Do(b, os.WriteFile(b.path("node.pub"), []byte(seal.Base64(nodeKey.Public())), 0o600))
	c := b.config()
	c.Export.Endpoint = order.Endpoint
	c.Sign = func(statement seal.Object) seal.Object {
		halt(order, haltSigning)
		return sign(statement)
	}
	c.Log = slog.New(onExported{slog.DiscardHandler, func() { halt(order, haltCommitted) }})
	e, err := New(c)
	if err != nil {
		return err
	}
	go func() {
		for n := 0; n != order.Events; n++ {
			b.append(1+n%3, rand.IntN(300))
			e.Wake()
			must.Eventually(b, "the collector follows", func() bool { return e.Status().Backlog() < 200 })
		}
	}()
	return e.Run(context.Background())
}

// inNode is the test in the process of the node.
type inNode struct{ testing.TB }

func (*inNode) Helper()        {}
func (*inNode) Cleanup(func()) {}
func (*inNode) Fatal(args ...any) {
	fmt.Println(args...)
	os.Exit(1)
}

// halt prints a point and stays there, if it is the one of the order.
func halt(order nodeOrder, point string) {
	if order.Halt == point {
		fmt.Println(point)
		select {}
	}
}

// onExported calls f for each batch that was exported.
type onExported struct {
	slog.Handler
	f func()
}

func (onExported) Enabled(context.Context, slog.Level) bool { return true }

func (h onExported) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "exported a batch" {
		h.f()
	}
	return nil
}

// node is a running node.
type node struct {
	*exec.Cmd
	said *bufio.Scanner
}

// start starts a node; the store must not be open.
func (b *bench) start(order nodeOrder) *node {
	b.Helper()
	order.Dir = b.dir
	if order.Endpoint == "" {
		order.Endpoint = b.collector.URL()
	}
	text := must.Get(json.Marshal(order))(b)
	n := &node{Cmd: exec.Command(os.Args[0])}
	n.Env = append(os.Environ(), asNode+"="+string(text))
	out := must.Get(n.StdoutPipe())(b)
	n.said = bufio.NewScanner(out)
	must.Do(b, n.Start())
	b.Cleanup(func() { _ = n.Process.Kill() })
	return n
}

// kill kills the node, and waits until it is gone.
func (b *bench) kill(n *node) {
	b.Helper()
	must.Do(b, n.Process.Kill())
	for n.said.Scan() {
		b.Log("the node said", n.said.Text())
	}
	_ = n.Wait()
}

// examine opens the store of a node that was killed, and closes it again. It returns the
// pending batch and the collector's deliveries, and fails if the cursor is ahead of them.
func (b *bench) examine() (pending seal.Object, all []delivery) {
	b.Helper()
	b.open()
	defer func() { must.Do(b, b.store.Close()) }()
	all = b.deliveries()
	b.checkDeliveries(all)
	var last uint64
	for _, d := range all {
		last = max(last, d.last)
	}
	cursor := seal.Integer(b.cursor(), "sequence")
	must.That(b, uint64(cursor) <= last, "the cursor is at %d, the collector has events up to %d", cursor, last)
	pending = must.Get(b.store.Get(kindPending, exporter))(b)
	must.That(b, pending == nil || seal.Integer(pending, "first") == cursor+1,
		"the cursor is at %d, and pending is %v", cursor, pending)
	return pending, all
}

// finish exports the rest, and checks everything against the journal.
func (b *bench) finish() (again int) {
	b.Helper()
	b.open()
	e, stop := b.run(b.config())
	b.drained(e)
	stop()
	return b.checkDeliveries(b.deliveries())
}

// TestKilledAtEachPoint kills a node where it matters: the same batch comes
// again under the same id, or, once the cursor is there, the next one.
func TestKilledAtEachPoint(t *testing.T) {
	for name, c := range map[string]struct {
		order  nodeOrder
		before func(*bench, *nodeOrder) (reached func(*node))
		again  bool // the collector has the batch, and gets it again
	}{
		"before it sends": {nodeOrder{}, func(b *bench, o *nodeOrder) func(*node) {
			connected := make(chan struct{}, 100)
			o.Endpoint = "https://" + b.listen(func(net.Conn) { connected <- struct{}{} }) + collector.Path
			return func(*node) { <-connected }
		}, false},
		"before it is answered": {nodeOrder{}, func(b *bench, _ *nodeOrder) func(*node) {
			must.Do(b, b.collector.SetMode(collector.Slow))
			return func(*node) {
				must.Eventually(b, "the batch is kept", func() bool { return b.collector.Counts().Records > 0 })
			}
		}, true},
		"before the cursor is written": {nodeOrder{Halt: haltSigning}, nil, true},
		"after it is written":          {nodeOrder{Halt: haltCommitted}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.append(20, 100)
			must.Do(b, b.store.Close())
			reached := func(n *node) {
				must.That(t, n.said.Scan() && n.said.Text() == c.order.Halt, "the node said %q", n.said.Text())
			}
			if c.before != nil {
				reached = c.before(b, &c.order)
			}
			n := b.start(c.order)
			reached(n)
			b.kill(n)
			must.Do(b, b.collector.SetMode(collector.Accept))
			pending, before := b.examine()
			must.Equal(t, c.order.Halt == haltCommitted, pending == nil, "pending is %v", pending)
			if again := b.finish(); (again > 0) != c.again {
				t.Errorf("%d deliveries again", again)
			}
			if next := b.deliveries()[len(before)]; pending != nil && next.batchID != seal.Text(pending, "batch_id") {
				t.Errorf("after the crash the first batch is %s, expected %v", next.batchID, pending)
			}
		})
	}
}

// TestKilledAtRandom kills a node again and again while it writes and exports.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	rounds := 25
	if testing.Short() {
		rounds = 12
	}
	b := newBench(t)
	must.Do(b, b.store.Close())
	for range rounds {
		pending, before := b.examine()
		target := b.collector.Counts().Records + rand.Int64N(60)
		n := b.start(nodeOrder{Events: -1})
		must.Eventually(b, "records", func() bool { return b.collector.Counts().Records > target })
		for end := time.Now().Add(time.Duration(rand.IntN(5000)) * time.Microsecond); time.Now().Before(end); {
		}
		b.kill(n)
		if next := b.deliveries()[len(before)]; pending != nil && next.batchID != seal.Text(pending, "batch_id") {
			t.Fatalf("after the crash the first batch is %s, expected %v", next.batchID, pending)
		}
	}
	again := b.finish()
	t.Logf("%d events, %d batches, %d of them again", b.log.Sequence(), len(b.deliveries()), again)
}
