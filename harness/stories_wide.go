package harness

import (
	"cmp"
	"fmt"

	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/seal"
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

func playAlgorithms(w *World, _ Options) {
	var issued []*cloud.Transaction
	for i, v := range variants {
		o := orderOf(fmt.Sprintf("tx-2026-%04d", i+1))
		o.Algorithm, o.Names, o.Usages = v.algorithm, v.names, v.usages
		issued = append(issued, seal.Must(w.Issue(o, w.Nodes[i%3], w.Nodes[(i+1)%3])))
	}
	for _, t := range issued {
		seal.Do(w.Export(t, w.Nodes[0], w.Nodes[1]))
	}
}

// The length of the large scene's tenant log, and the least that it can be: its transaction
// comes first.
const (
	million     = 1_000_000
	leastEvents = 30
)

// Rhythms of the large scene, in events.
const (
	reportEvery     = 40
	pendingEvery    = 1_000
	checkpointEvery = 100_000
)

// playLarge fills the tenant log behind an early transaction. The nodes
// witness it in stretches, and their journals stay short.
func playLarge(w *World, options Options) {
	length := uint64(cmp.Or(options.Events, million))
	t := w.playIssuance(first)
	for w.Cloud.Sequence() < length {
		w.fillLog(length)
	}
	seal.Do(w.Export(t, w.Nodes[0], w.Nodes[1]))
}

// fillLog appends an event or two, but not beyond the length.
func (w *World) fillLog(length uint64) {
	at := w.Cloud.Sequence()
	switch {
	case at%checkpointEvery == 0:
		seal.Do(w.Witness(w.Nodes...))
	case at%pendingEvery == 0 && at+2 <= length:
		seal.Do(w.openTransaction())
		return
	case at%reportEvery == 0:
		seal.Do(w.Report(w.Nodes[w.chance.Below(len(w.Nodes))]))
		return
	}
	w.ChangeIntegration()
}
