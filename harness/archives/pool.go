package archives

import (
	"bytes"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Pool is the evidence of one tenant, from which archives are made.
type Pool struct {
	// Trust is the trust file, and Less one without the key of a node, under which
	// some of the bundles do not verify.
	Trust, Less []byte
	// Bundles has the bundles of each transaction, in the order of their checkpoints.
	// Some transactions are revoked between two of them.
	Bundles [][][]byte
	// Rejected are bundles that do not verify: changed, cut, or of another tenant.
	Rejected [][]byte
	// Journals has the journal of each node and the tenant log, at several ages.
	Journals [][][]byte
	// Others are files that are no evidence.
	Others [][]byte
}

// The transactions and exports that a pool has bundles of.
const (
	Transactions = 8
	Exports      = 3 // of each transaction
)

// maker plays a pool.
type maker struct {
	*harness.World
	pool   *Pool
	tenant bytes.Buffer
	open   []*cloud.Transaction
}

// NewPool plays the evidence of a tenant. The same seed gives the same bytes.
func NewPool(seed uint64) *Pool {
	m := newMaker(seed)
	for age := range Exports {
		m.ageArchive(age)
	}
	m.pool.Trust = seal.Canonical(m.Trust())
	less := m.Trust()
	delete(seal.Member(less, "nodes"), m.Nodes[2].ID())
	m.pool.Less = seal.Canonical(less)
	m.makeOthers()
	m.makeRejected(seed)
	return m.pool
}

func newMaker(seed uint64) *maker {
	m := &maker{}
	keep := func(event seal.Object) { m.tenant.Write(seal.Line(event)) }
	m.World = seal.Must(harness.NewWorld(seed, harness.ThreeNodes(), keep))
	m.pool = &Pool{Bundles: make([][][]byte, Transactions), Journals: make([][][]byte, len(m.Nodes)+1)}
	return m
}

// ageArchive issues all transactions at age 0, revokes one at each later age, and exports all.
func (m *maker) ageArchive(age int) {
	if age == 0 {
		for i := range Transactions {
			m.issueOne(i)
		}
	} else {
		seal.Do(m.Revoke(m.open[age], "keyCompromise"))
	}
	seal.Do(m.PublishPolicy(int64(8+age), m.Nodes...)) // so that every journal grows
	seal.Do(m.Report(m.Nodes...), m.Witness(m.pair(age)...))
	for i, t := range m.open {
		m.pool.Bundles[i] = append(m.pool.Bundles[i], seal.Canonical(seal.Must(m.Cloud.Export(t))))
	}
	for i, n := range m.Nodes {
		m.pool.Journals[i] = append(m.pool.Journals[i], seal.Lines(n.Journal()))
	}
	m.pool.Journals[len(m.Nodes)] = append(m.pool.Journals[len(m.Nodes)], bytes.Clone(m.tenant.Bytes()))
}

func (m *maker) issueOne(number int) {
	m.open = append(m.open, seal.Must(m.Issue(harness.Order{
		TransactionID: fmt.Sprintf("tx-2026-%04d", number+1),
		Profile:       "payments-api",
		Algorithm:     "ecdsa-p256",
		Lifetime:      7 * 24 * time.Hour,
		Names:         []string{fmt.Sprintf("dns:payments-%d.acme.example", number+1)},
		Usages:        []string{"serverAuth"},
	}, m.pair(number)...)))
}

// pair is two of the nodes: without the third, every third pair is whole.
func (m *maker) pair(number int) []*node.Node {
	return []*node.Node{m.Nodes[number%3], m.Nodes[(number+1)%3]}
}

// makeOthers makes files that are no evidence: nothing, text, a picture, the trust file.
func (m *maker) makeOthers() {
	m.pool.Others = [][]byte{{}, []byte("Kept since 2026.\n"), []byte("Ask the archivist.\r\n"),
		append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 300)...), []byte("<html><p>index</p></html>\n"), m.pool.Trust}
}

// makeRejected makes bundles that do not verify.
func (m *maker) makeRejected(seed uint64) {
	for _, of := range m.pool.Bundles[:3] {
		bundle := of[0]
		m.pool.Rejected = append(m.pool.Rejected, bundle[:len(bundle)*2/3],
			bytes.Replace(bundle, []byte(`"payments-api"`), []byte(`"payments-apx"`), 1))
	}
	stranger := newMaker(seed + 1)
	stranger.ageArchive(0)
	for _, of := range stranger.pool.Bundles[:3] {
		m.pool.Rejected = append(m.pool.Rejected, of...)
	}
}
