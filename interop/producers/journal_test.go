package producers

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// journal contains the lines that a node wrote, and the trust file to verify them with.
type journal struct {
	genuine, altered []byte
	log              string
	trust            []byte
	signatures       [][]byte // of its events, in their order
}

// long is the number of characters of the longest reason: more than a page of memory, a line
// of syslog, or journalctl's display of a field.
const long = 5000

// reasons are texts that programs escape, quote, expand, cut or replace.
var reasons = []string{
	`a "quoted" name, and an ' apostrophe`,
	`C:\nodes\new\table \" \\ \u0041 \x41 \101 %41 &amp; &#65;`,
	"lines\r\nand\ttabs\vand\x01\x1b[31m controls",
	`1,2;3|4 $HOME $(id) {{x}} <b>bold</b> ]]> --> */ =1+1`,
	"Zürich, 東京, 🔑, \u2028 and \u00a0 and \ufeff",
	`{"body":{"hash":"no event"},"signature":"none"}`,
	strings.Repeat("long ", long/5),
}

// play lets a fleet work, and returns the journal of a node in it, which then denies
// approvals for odd reasons.
func play(t *testing.T) *journal {
	w := must.Get(harness.NewWorld(12, harness.ThreeNodes(), func(seal.Object) {}))(t)
	node := w.Nodes[0]
	work := func() {
		must.Do(t, w.Traffic(40))
	}
	work()
	for _, reason := range reasons {
		node.Note(eventtype.ApprovalDenied, "tx-2026-0099",
			seal.Object{"reason": reason, "attempt": int64(9007199254740991)})
	}
	work()
	trust := must.Get(json.Marshal(w.Trust()))(t)
	j := &journal{log: "node/" + node.ID(), trust: trust}
	for _, event := range node.Journal() {
		line := append(seal.Canonical(event), '\n')
		j.genuine = append(j.genuine, line...)
		j.signatures = append(j.signatures, []byte(seal.Text(event, "signature")))
	}
	j.altered = alter(t, j.genuine)
	return j
}

// digest is one that a node signed.
var digest = regexp.MustCompile(`"approval_sha256":"[0-9a-f]`)

// alter replaces one digit of an event in the middle.
func alter(t *testing.T, genuine []byte) []byte {
	at := digest.FindIndex(genuine)
	must.That(t, at != nil, "no approval to alter")
	altered := bytes.Clone(genuine)
	if digit := &altered[at[1]-1]; *digit == '0' {
		*digit = '1'
	} else {
		*digit = '0'
	}
	return altered
}
