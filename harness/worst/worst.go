// Package worst makes evidence that is expensive to examine for its size. It has texts that
// tempt a reader to examine the same bytes repeatedly, and logs with very much of one thing.
// The size of each input is one number, so that its cost can be compared with the cost of an
// input twice as large.
package worst

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Texts returns texts of n parts, by name.
func Texts(n int) map[string]string {
	torn := func(again string) string {
		var b strings.Builder
		for i := range n / 2 {
			fmt.Fprintf(&b, "{\"k%06d\":[\n", i)
		}
		for i := range n / 2 {
			fmt.Fprintf(&b, "{\"k%06d\":[%s\n", i, again)
		}
		return b.String()
	}
	texts := map[string]string{
		"values and spaces":          strings.Repeat("{}", n) + strings.Repeat(" ", 2*n) + "\n",
		"values and spaces, no end":  strings.Repeat("{}", n) + strings.Repeat(" \t", n),
		"values and garbage":         strings.Repeat("{}x", n) + "\n",
		"values, garbage and spaces": strings.Repeat("{} x ", n) + strings.Repeat(" ", n) + "\n",
		"strings":                    strings.Repeat(`""`, n) + strings.Repeat(" ", n),
		"starts":                     strings.Repeat(`{"body":{"data":`, n) + "\n",
		"starts that end":            strings.Repeat(`{"body":{"data":`, n) + "}\n",
		"starts and garbage":         "{}" + strings.Repeat(`x{"body":{"data":1}}`, n) + "\n",
		"starts in a list":           "[" + strings.Repeat(`{"resourceLogs":["`, n) + "\n",
		"starts in a list, closed":   "[" + strings.Repeat(`{"resourceLogs":["`, n) + "}\n",
		"open brackets":              strings.Repeat("[", n),
		"open objects":               strings.Repeat(`{"a":`, n),
		"open objects on lines":      strings.Repeat("{\"a\":\n", n),
		"open lines":                 strings.Repeat("{\n", n),
		"torn lines twice":           torn(""),
		"torn lines, closed":         torn("]}"),
		"quotes":                     strings.Repeat("\"\n", n),
		"backslashes":                `"` + strings.Repeat(`\\`, n),
	}
	maps.Copy(texts, partTexts(n))
	return texts
}

// Wrapped returns texts of n parts, by name, that tempt a reader to undo wrappings in
// vain.
func Wrapped(n int) map[string]string {
	return map[string]string{
		"escaped starts":          strings.Repeat(`{\"body\":{\"data\":`, n),
		"escaped starts on lines": strings.Repeat("x {\\\"body\\\":{\\\"data\\\":\n", n),
		"escaped protocols":       strings.Repeat(`\"protocol\":\"svc.audit-event.v1\"`, n/4),
		"protocols in many ways": strings.Repeat(`\"protocol\":\"svc.audit-event.v1 ""protocol"":""svc.audit-event.v1 `+
			`&quot;protocol&quot;:&quot;svc.audit-event.v1 %22protocol%22:%22svc.audit-event.v1 `, n/16),
		"broken events":   strings.Repeat(`{"body":{"data":{},"protocol":"svc.audit-event.v1",\\ `, n/8),
		"digits":          "x " + strings.Repeat("eyJib2R5Ijp7ImRhdGEiOnsi", n/2),
		"lines of digits": strings.Repeat(strings.Repeat("eyJib2R5Ijp7ImRhdGEiOnsi", 3)+"\n", n/8),
		"references":      strings.Repeat("&amp;", n) + "protocol&amp;quot;:&amp;quot;svc.audit-event.v1",
	}
}

// Tenant and Node are whose logs a [Case] has.
const (
	Tenant = "acme-corp"
	Node   = "mesh-berlin-1"
)

// Case is files with very much of one thing.
type Case map[string][]byte

// Trust is the trust file for all cases.
func Trust() []byte {
	public := func(name string) seal.Object { return seal.Object{name: seal.Base64(key(name).Public())} }
	return seal.Canonical(seal.Object{"audit_keys": public("audit-1"), "nodes": public(Node),
		"protected_signer_keys": public("signer-1"), "registries": seal.Object{"1": seal.Base64(make([]byte, 32))}})
}

func key(name string) seal.Key {
	seal.MakeInBulk()
	seed := sha256.Sum256([]byte(name))
	return seal.Key{ID: name, Private: ed25519.NewKeyFromSeed(seed[:])}
}

// writer writes a log.
type writer struct {
	log *seal.Log
	key seal.Key
	n   int
}

func journal(node string) *writer {
	return &writer{log: seal.NewLog(Tenant, "node/"+node), key: key(node)}
}

func tenantLog() *writer {
	return &writer{log: seal.NewLog(Tenant, "tenant/"+Tenant), key: key("audit-1")}
}

// begin is when every log begins.
var begin = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)

// appendEvent appends an event and returns its line.
func (w *writer) appendEvent(kind, transaction string, data seal.Object) []byte {
	w.n++
	salt := sha256.Sum256(fmt.Append(nil, w.n))
	e := seal.Entry{Type: kind, TransactionID: transaction, OccurredAt: begin.Add(time.Duration(w.n) * time.Minute),
		Salt: [16]byte(salt[:16]), Data: data}
	return seal.Line(w.log.Append(e, w.key))
}

// appendUsual appends n usual events.
func (w *writer) appendUsual(n int) (lines [][]byte) {
	for i := range n {
		lines = append(lines, w.appendEvent("policy.synced", "", seal.Object{"n": int64(i)}))
	}
	return lines
}

// alteredEvent is an event with other content than was signed, one of very many.
func alteredEvent(line []byte, n int) []byte {
	return bytes.Replace(line, []byte(`"data":{`), fmt.Appendf(nil, `"data":{"a":%d,`, n), 1)
}

// Cases returns cases of n things, by name.
func Cases(n int) map[string]Case {
	return map[string]Case{
		"logs":                 manyLogs(n),
		"gaps":                 manyGaps(n),
		"copies of one event":  copiesOfOne(n),
		"copies of each event": copiesOfEach(n),
		"batches":              manyBatches(n),
		"sources":              manySources(n),
		"stores":               manyStores(n),
		"transactions":         manyTransactions(n),
		"torn lines":           tornLines(n),
		"other services":       otherServices(n),
		"documents":            manyDocuments(n),
		"forged events":        forgedEvents(n),
	}
}

func manyLogs(n int) Case {
	var b []byte
	for i := range n {
		b = append(b, bytes.Join(journal(fmt.Sprintf("node-%d", i)).appendUsual(2), nil)...)
	}
	return Case{"logs.ndjson": b}
}

func manyGaps(n int) Case {
	var b []byte
	for i, line := range journal(Node).appendUsual(2 * n) {
		if i%2 == 0 {
			b = append(b, line...)
		}
	}
	return Case{"journal.ndjson": b}
}

func copiesOfOne(n int) Case {
	lines := journal(Node).appendUsual(3)
	b := bytes.Join(lines, nil)
	for i := range n {
		b = append(b, alteredEvent(lines[1], i)...)
	}
	return Case{"journal.ndjson": b}
}

func copiesOfEach(n int) Case {
	lines := journal(Node).appendUsual(n)
	var b []byte
	for i, line := range lines {
		b = append(append(b, line...), alteredEvent(line, i)...)
	}
	return Case{"journal.ndjson": b}
}

func record(line []byte, id string) []byte {
	return fmt.Appendf(nil, `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":%q},`+
		`"attributes":[{"key":"x-svc-edge-audit-batch","value":{"stringValue":%q}}]}]}]}]}`+"\n", bytes.TrimSpace(line), id)
}

func manyBatches(n int) Case {
	var b []byte
	for i, line := range journal(Node).appendUsual(n) {
		id := sha256.Sum256(fmt.Append(nil, i))
		b = append(b, record(line, fmt.Sprintf("%x", id))...)
	}
	return Case{"export.json": b}
}

func manySources(n int) Case {
	c := Case{}
	for i, line := range journal(Node).appendUsual(n) {
		c[fmt.Sprintf("part-%06d.ndjson", i)] = line
	}
	return c
}

// manyStores are sources that share few of many events.
func manyStores(n int) Case {
	c := Case{}
	lines := journal(Node).appendUsual(n + 3)
	for i := range n {
		c[fmt.Sprintf("%06d/store", i)] = bytes.Join(lines[i:i+3], nil)
	}
	return c
}

func manyTransactions(n int) Case {
	node, tenant := journal(Node), tenantLog()
	var signed, recorded []byte
	for i := range n {
		id := fmt.Sprintf("tx-2026-%06d", i)
		digest := seal.SHA256(fmt.Append(nil, i))
		signed = append(signed, node.appendEvent("approval.signed", id,
			seal.Object{"approval_sha256": digest, "decision": "allow"})...)
		if i%2 == 0 {
			recorded = append(recorded,
				tenant.appendEvent("approval.recorded", id, seal.Object{"approval_sha256": digest, "node_id": Node})...)
		}
		recorded = append(recorded, tenant.appendEvent("issuance.completed", id, seal.Object{"manifest_sha256": digest})...)
	}
	return Case{"journal.ndjson": signed, "tenant.ndjson": recorded}
}

func tornLines(n int) Case {
	var b []byte
	for _, line := range journal(Node).appendUsual(n) {
		b = append(append(b, line...), append(line[:len(line)/2:len(line)/2], '\n')...)
	}
	return Case{"journal.ndjson": b}
}

func otherServices(n int) Case {
	var b []byte
	for i, line := range journal(Node).appendUsual(n) {
		b = fmt.Appendf(append(b, line...), `{"level":"info","msg":"request %d"}`+"\n", i)
	}
	return Case{"mixed.ndjson": b}
}

func manyDocuments(n int) Case {
	tenant := tenantLog()
	logged := bytes.Join(tenant.appendUsual(3), nil)
	var b []byte
	for i := range n {
		statement := seal.Object{"protocol": "svc.audit-checkpoint.v1", "tenant_id": Tenant, "log_id": "tenant/" + Tenant,
			"sequence":  int64(3),
			"head_hash": tenant.log.Head().String(), "required_witnesses": int64(1),
			"created_at": seal.Time(begin.Add(time.Duration(i) * time.Second))}
		b = append(append(b, seal.Canonical(seal.Seal(statement, key("audit-1")))...), '\n')
	}
	return Case{"tenant.ndjson": logged, "checkpoints.ndjson": b}
}

// forgedEvents are events far above the end of a log, which no one signed.
func forgedEvents(n int) Case {
	lines := journal(Node).appendUsual(3)
	b := bytes.Join(lines, nil)
	for i := range n {
		b = append(b, bytes.Replace(lines[2], []byte(`"sequence":3`), fmt.Appendf(nil, `"sequence":%d`, 1000+1000*i), 1)...)
	}
	return Case{"journal.ndjson": b}
}
