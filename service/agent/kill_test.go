package agent_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/agent"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// configVariable names the configuration of a node that this program is to be.
const configVariable = "SVC_TEST_NODE_CONFIG"

func TestMain(m *testing.M) {
	if path := os.Getenv(configVariable); path != "" {
		if err := beNode(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// beNode is a node's process.
func beNode(path string) error {
	config, faults, err := nodeconfig.Read(path, time.Now())
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		return faults
	}
	config.LocalAPI.Address = anyPort(config.LocalAPI.Address)
	config.Cloud.PollInterval = 20 * time.Millisecond
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	a, err := agent.Open(agent.Config{Node: config, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	if err := a.Run(ctx); err != nil {
		return err
	}
	return a.Close()
}

// start runs the node as a process of its own.
func (d *deployment) start() *exec.Cmd {
	d.t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^$")
	command.Env = append(os.Environ(), configVariable+"="+d.config())
	command.Stderr = d.logs
	must.Do(d.t, command.Start())
	return command
}

// load keeps work waiting, and lets the tenant log grow, until the context ends.
func (c *testCloud) load(ctx context.Context, p seal.Object) {
	for i := 0; ctx.Err() == nil; i++ {
		c.mu.Lock()
		waiting := len(c.work)
		c.mu.Unlock()
		if waiting < 10 {
			c.ask(approveWork(number(i), terms(p, same)))
		}
		if i%20 == 0 {
			c.grow(3)
		}
		time.Sleep(time.Millisecond)
	}
}

// A node that is killed at any moment never breaks its journal, uses no sequence
// twice, contradicts nothing that it said, and said nothing that is not in its
// journal.
func TestKilledUnderLoad(t *testing.T) {
	d := deploy(t)
	d.read()
	p := policy(7)
	d.cloud.publish(p)
	ctx, cancel := context.WithCancel(context.Background())
	loaded := make(chan struct{})
	go func() { defer close(loaded); d.cloud.load(ctx, p) }()
	kills := 30
	if testing.Short() {
		kills = 8
	}
	for i := range kills {
		before := d.cloud.count("approve")
		node := d.start()
		// It came up and works; then it dies at a random moment.
		must.Eventually(t, "work", func() bool { return d.cloud.count("approve") > before })
		time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
		if i == kills/2 {
			must.Do(t, agent.OrderRotation(d.state()))
		}
		must.Do(t, node.Process.Kill())
		_ = node.Wait() // killed
	}
	cancel()
	<-loaded
	node := d.start()
	must.Eventually(t, "an end of the work", d.cloud.sees(func() bool { return len(d.cloud.work) == 0 }))
	must.Eventually(t, "the rotation", d.cloud.sees(func() bool { return len(d.cloud.roster.Nodes) == 2 }))
	must.Do(t, node.Process.Signal(syscall.SIGTERM))
	err := node.Wait()
	check.That(t, err == nil, "told to end, it ended with %v\n%s", err, d.logs)
	events := d.checkJournal()
	d.checkChain(events)
	d.checkSaid(events)
	t.Logf("%d events after %d kills", len(events), kills)
}

// checkChain checks the journal against the verifier's own chain.
func (d *deployment) checkChain(events []seal.Object) {
	d.t.Helper()
	frontier := chain.NewFrontier(chain.Genesis(tenant, "node/"+nodeID))
	for i, event := range events {
		body := seal.Member(event, "body")
		previous := must.Get(seal.ParseHash(seal.Text(event, "previous_hash")))(d.t)
		skip := must.Get(seal.ParseHash(seal.Text(event, "skip_hash")))(d.t)
		sum := must.Get(seal.ParseHash(seal.Digest(body)))(d.t)
		link := chain.Link{Sequence: uint64(seal.Integer(body, "sequence")), Previous: chain.Hash(previous),
			Skip: chain.Hash(skip), Body: chain.Hash(sum)}
		err := frontier.Append(link)
		must.That(d.t, err == nil && frontier.Head().String() == seal.Text(event, "hash"), "line %d: %v", i+1, err)
	}
}

// checkSaid wants that the cloud heard of a transaction and of a sequence one
// thing only, and nothing that the journal does not hold.
func (d *deployment) checkSaid(events []seal.Object) {
	d.t.Helper()
	journalled := map[string]bool{}
	for _, event := range events {
		data := seal.Member(seal.Member(event, "body"), "data")
		for _, name := range []string{"approval_sha256", "checkpoint_sha256", "head_hash"} {
			journalled[seal.Text(data, name)] = true
		}
	}
	approvals, heads := map[string]string{}, map[int64]string{}
	d.cloud.mu.Lock() // a call that the node has given up may be under way still
	defer d.cloud.mu.Unlock()
	for _, result := range d.cloud.results {
		switch seal.Text(result, "kind") {
		case "approve":
			transaction, digest := seal.Text(result, "transaction_id"), seal.StatementDigest(seal.Member(result, "approval"))
			if before, ok := approvals[transaction]; ok && before != digest {
				d.t.Errorf("%s was approved in two ways", transaction)
			}
			approvals[transaction] = digest
			check.That(d.t, journalled[digest], "the approval of %s is not in the journal", transaction)
		case "witness":
			statement := seal.Member(seal.Member(result, "receipt"), "statement")
			sequence, head := seal.Integer(statement, "sequence"), seal.Text(statement, "head_hash")
			if before, ok := heads[sequence]; ok && before != head {
				d.t.Errorf("two heads were witnessed at %d", sequence)
			}
			heads[sequence] = head
			check.That(d.t, journalled[head], "the receipt at %d is not in the journal", sequence)
		}
	}
	check.That(d.t, len(approvals) != 0 && len(heads) != 0,
		"%d transactions and %d checkpoints are too few to say anything", len(approvals), len(heads))
}

func (c *testCloud) syncCount() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.syncs)
}
