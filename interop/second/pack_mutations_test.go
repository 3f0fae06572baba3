package second_test

import (
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// packMutant is a genuine pack while chance changes it: its lines but for the last one, and its
// trust file.
type packMutant struct {
	*chance.Stream
	lines []seal.Object
	trust seal.Object
	keys  map[string]seal.Key // of those who signed
}

// packMutations change a pack. The digest at its end is made anew. A mutation returns false if
// the pack has nothing that it changes.
var packMutations = []struct {
	name   string
	change func(m *packMutant) bool
	// byRight: such a mutant may verify, since all in it is genuine. The verifiers must then agree
	// on everything that it shows.
	byRight bool
}{
	{"value", (*packMutant).changeValue, false},
	{"member-removed", (*packMutant).removeMember, false},
	{"member-added", func(m *packMutant) bool { m.valueAt(m.below())["note"] = "x"; return true }, false},
	{"value-of-another-line", (*packMutant).copyValue, false},
	{"lines-swapped", func(m *packMutant) bool {
		i, j := m.below(), m.below()
		m.lines[i], m.lines[j] = m.lines[j], m.lines[i]
		return i != j
	}, false},
	{"line-twice", func(m *packMutant) bool {
		i := m.below()
		m.lines = slices.Insert(m.lines, i, m.lines[i])
		return true
	}, false},
	{"line-elsewhere", func(m *packMutant) bool {
		i := m.below()
		line := m.lines[i]
		m.lines = slices.Delete(m.lines, i, i+1)
		m.lines = slices.Insert(m.lines, 1+m.Below(len(m.lines)), line)
		return true
	}, false},
	{"link-dropped", func(m *packMutant) bool { return m.dropOne("link") }, false},
	{"bundle", (*packMutant).changeBundle, false},
	{"claims", (*packMutant).changeClaims, true},
	{"event-redacted", (*packMutant).redactEvent, true},
	{"history-dropped", (*packMutant).dropHistory, true},
	{"history-cut", (*packMutant).cutHistory, true},
	{"bundle-dropped", func(m *packMutant) bool { return m.dropOne("proof") }, true},
	{"checkpoint-dropped", func(m *packMutant) bool { return m.dropOne("checkpoint") }, true},
	{"receipt-dropped", (*packMutant).dropReceipt, true},
	{"head-signed-again", (*packMutant).signHead, true},
	{"checkpoint-signed-again", (*packMutant).signCheckpoint, true},
	{"key-dropped", (*packMutant).dropKey, true},
}

// below is any line below the claims.
func (m *packMutant) below() int { return 1 + m.Below(len(m.lines)-1) }

func (m *packMutant) nameAt(line int) string { return slices.Collect(maps.Keys(m.lines[line]))[0] }

func (m *packMutant) valueAt(line int) seal.Object {
	return m.lines[line][m.nameAt(line)].(seal.Object)
}

// linesOf are the lines of some names.
func (m *packMutant) linesOf(names ...string) (lines []int) {
	for i := range m.lines {
		if slices.Contains(names, m.nameAt(i)) {
			lines = append(lines, i)
		}
	}
	return lines
}

// lineOf is one of them, or -1.
func (m *packMutant) lineOf(names ...string) int {
	if lines := m.linesOf(names...); len(lines) > 0 {
		return lines[m.Below(len(lines))]
	}
	return -1
}

// leaf is a member below a line that is no object or list, with its object.
func (m *packMutant) leaf(o seal.Object) (in seal.Object, name string) {
	names := slices.Sorted(maps.Keys(o))
	if len(names) == 0 {
		return nil, ""
	}
	name = names[m.Below(len(names))]
	switch v := o[name].(type) {
	case seal.Object:
		return m.leaf(v)
	case []any:
		if objects := seal.ObjectList(o, name); len(objects) > 0 {
			return m.leaf(objects[m.Below(len(objects))])
		}
		return nil, ""
	}
	return o, name
}

func (m *packMutant) changeValue() bool {
	in, name := m.leaf(m.lines[m.below()])
	if in == nil {
		return false
	}
	switch v := in[name].(type) {
	case string:
		i := m.Below(len(v))
		in[name] = v[:i] + string("0123456789abcdefABCDEF-_/."[m.Below(26)]) + v[i+1:]
	case int64:
		in[name] = v + int64(m.Below(5)) - 2
	}
	return true
}

func (m *packMutant) removeMember() bool {
	in, name := m.leaf(m.lines[m.below()])
	delete(in, name)
	return in != nil
}

// copyValue gives a member the value of the member of that name in another line.
func (m *packMutant) copyValue() bool {
	in, name := m.leaf(m.lines[m.below()])
	other, otherName := m.leaf(m.lines[m.below()])
	if in == nil || name != otherName {
		return false
	}
	in[name] = other[name]
	return true
}

func (m *packMutant) dropOne(name string) bool {
	i := m.lineOf(name)
	if i >= 0 {
		m.lines = slices.Delete(m.lines, i, i+1)
	}
	return i >= 0
}

// changeBundle changes a bit of a bundle, whose digest is right.
func (m *packMutant) changeBundle() bool {
	i := m.lineOf("proof")
	if i < 0 {
		return false
	}
	document, _ := seal.Unbase64(seal.Text(m.valueAt(i), "document")) // a genuine one
	document[m.Below(len(document))] ^= 1 << m.Below(8)
	m.lines[i] = seal.Object{"proof": seal.Object{"document": seal.Base64(document), "sha256": seal.SHA256(document)}}
	return true
}

func (m *packMutant) changeClaims() bool {
	claims := m.valueAt(0)
	claims["verdict"] = []string{"verified", "rejected", "inconclusive"}[m.Below(3)]
	claims["trust_sha256"], claims["sources"] = seal.SHA256(m.Bytes(1)), []any{}
	return true
}

func (m *packMutant) redactEvent() bool {
	i := m.lineOf("disclosed")
	if i < 0 {
		return false
	}
	event := m.valueAt(i)
	m.lines[i] = seal.Object{"redacted": seal.Object{
		"sequence": seal.Member(event, "body")["sequence"], "previous_hash": event["previous_hash"],
		"skip_hash": event["skip_hash"], "body_sha256": seal.Digest(event["body"]), "key_id": event["key_id"],
		"signature": event["signature"]}}
	return true
}

// history is where a history begins and ends, and its chosen events.
func (m *packMutant) history() (from, to int, chosen []int) {
	if from = m.lineOf("history"); from < 0 {
		return from, from, nil
	}
	for to = from + 1; to < len(m.lines) && m.nameAt(to) != "history"; to++ {
		if m.nameAt(to) != "link" {
			chosen = append(chosen, to)
		}
	}
	return from, to, chosen
}

func (m *packMutant) dropHistory() bool {
	from, to, _ := m.history()
	if from >= 0 {
		m.lines = slices.Delete(m.lines, from, to)
	}
	return from >= 0
}

// cutHistory lets a history begin or end at another of its events.
func (m *packMutant) cutHistory() bool {
	from, to, chosen := m.history()
	if len(chosen) < 2 {
		return false
	}
	if at := 1 + m.Below(len(chosen)-1); m.Below(2) == 0 {
		m.lines = slices.Delete(m.lines, from+1, chosen[at])
	} else {
		m.lines = slices.Delete(m.lines, chosen[at-1]+1, to)
	}
	return true
}

func (m *packMutant) dropReceipt() bool {
	i := m.lineOf("checkpoint")
	if i < 0 {
		return false
	}
	receipts := seal.List(m.valueAt(i), "witness_receipts")
	if len(receipts) == 0 {
		return false
	}
	at := m.Below(len(receipts))
	m.valueAt(i)["witness_receipts"] = slices.Delete(receipts, at, at+1)
	return true
}

// signHead changes the newest event of a history, and its owner signs it again.
func (m *packMutant) signHead() bool {
	from, _, _ := m.history()
	if from < 0 || m.nameAt(from+1) != "disclosed" {
		return false
	}
	event := m.valueAt(from + 1)
	seal.Member(event, "body")["salt"] = seal.Base64(m.Bytes(16))
	forge.Rehash(func(seal.Object) {})(event)
	return forge.Sign(event, m.keys[seal.Text(event, "key_id")]) == nil
}

// signCheckpoint changes the head or the demands of a checkpoint, and all sign it again.
func (m *packMutant) signCheckpoint() bool {
	i := m.lineOf("checkpoint")
	if i < 0 {
		return false
	}
	checkpoint := seal.Member(m.valueAt(i), "checkpoint")
	statement := seal.Member(checkpoint, "statement")
	if seal.Integer(statement, "required_witnesses") == 0 {
		return false // a legacy one
	}
	statement["required_witnesses"] = int64(1 + m.Below(3))
	if m.Below(2) == 0 {
		statement["head_hash"] = seal.SHA256(m.Bytes(1))
	}
	err := forge.Sign(checkpoint, m.keys[seal.Text(checkpoint, "key_id")])
	for _, receipt := range seal.ObjectList(m.valueAt(i), "witness_receipts") {
		own := seal.Member(receipt, "statement")
		own["head_hash"], own["checkpoint_sha256"] = statement["head_hash"], seal.Digest(statement)
		err = forge.Sign(receipt, m.keys[seal.Text(receipt, "key_id")])
	}
	return err == nil
}

// dropKey removes a key from the trust file.
func (m *packMutant) dropKey() bool {
	nodes := seal.Member(m.trust, "nodes")
	names := slices.Sorted(maps.Keys(nodes))
	delete(nodes, names[m.Below(len(names))])
	return true
}
