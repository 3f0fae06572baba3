package harness

import (
	"fmt"

	"github.com/svc-edge/svc-verify/harness/cloud"
)

// variants are the transactions of the algorithms scene: each algorithm once,
// each kind of name and each usage at least once.
var variants = []struct {
	algorithm     string
	names, usages []string
}{
	{"ecdsa-p256", []string{"dns:payments.acme.example", "dns:*.payments.acme.example"}, []string{"serverAuth"}},
	{"ecdsa-p384", []string{"dns:db.acme.example", "ip:192.0.2.17", "ip:2001:db8::17"},
		[]string{"clientAuth", "serverAuth"}},
	{"ed25519", []string{"uri:spiffe://acme.example/ledger"}, []string{"clientAuth"}},
	{"rsa-2048", []string{"email:ops@acme.example"}, []string{"emailProtection"}},
	{"rsa-3072", []string{"email:build@acme.example", "uri:https://build.acme.example/release"}, []string{"codeSigning"}},
	{"rsa-4096", []string{"ip:2001:db8::123"}, []string{"timeStamping"}},
}

func playAlgorithms(w *World, _ Options) error {
	var issued []*cloud.Transaction
	for i, v := range variants {
		o := orderOf(fmt.Sprintf("tx-2026-%04d", i+1))
		o.Algorithm, o.Names, o.Usages = v.algorithm, v.names, v.usages
		t, err := w.Issue(o, w.Nodes[i%3], w.Nodes[(i+1)%3])
		if err != nil {
			return err
		}
		issued = append(issued, t)
	}
	for _, t := range issued {
		if err := w.Export(t, w.Nodes[0], w.Nodes[1]); err != nil {
			return err
		}
	}
	return nil
}

// million is the length of the large scene's tenant log.
const million = 1_000_000

// Rhythms of the large scene, in events.
const (
	reportEvery     = 40
	pendingEvery    = 1_000
	checkpointEvery = 100_000
)

// playLarge fills the tenant log behind an early transaction. The nodes
// witness it in stretches, and their journals stay short.
func playLarge(w *World, options Options) error {
	length := uint64(million)
	if options.Events > 0 {
		length = uint64(options.Events)
	}
	t, err := w.playIssuance(first)
	if err != nil {
		return err
	}
	if length <= w.Cloud.Sequence() {
		return fmt.Errorf("events: expected more than %d, found %d", w.Cloud.Sequence(), length)
	}
	for w.Cloud.Sequence() < length {
		if err := w.fillLog(length); err != nil {
			return err
		}
	}
	return w.Export(t, w.Nodes[0], w.Nodes[1])
}

// fillLog appends an event or two, but not beyond the length.
func (w *World) fillLog(length uint64) error {
	at := w.Cloud.Sequence()
	switch {
	case at%checkpointEvery == 0:
		if err := w.Witness(w.Nodes...); err != nil {
			return err
		}
	case at%pendingEvery == 0 && at+2 <= length:
		return w.openTransaction()
	case at%reportEvery == 0:
		return w.Report(w.Nodes[w.chance.Below(len(w.Nodes))])
	}
	w.ChangeIntegration()
	return nil
}
