package ingest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
)

const testTenant = "acme-corp"

// journal makes n linked events of a log, one canonical line each without line
// feed. Signatures are bytes that nobody made: the case does not verify.
func journal(log string, n int, seed uint64) [][]byte {
	random := rand.New(rand.NewPCG(seed, 1))
	hashes := map[uint64]chain.Hash{0: chain.Genesis(testTenant, log)}
	lines := make([][]byte, n)
	for i := range lines {
		sequence := uint64(i + 1)
		link := chain.Link{Sequence: sequence, Previous: hashes[sequence-1], Skip: hashes[chain.Skip(sequence)]}
		lines[i] = sealEvent(testBody(log, sequence, random), link)
		hashes[sequence] = hashOf(lines[i])
	}
	return lines
}

func testBody(log string, sequence uint64, random *rand.Rand) string {
	var salt [16]byte
	for i := range salt {
		salt[i] = byte(random.Uint32())
	}
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC).Add(time.Duration(sequence) * 1373 * time.Millisecond)
	transaction := ""
	if sequence%3 == 0 {
		transaction = fmt.Sprintf(`"transaction_id":"tx-2026-%08d",`, sequence/9)
	}
	return fmt.Sprintf(
		`{"data":{"detail":"the policy of the fleet was read again and found to be the one that is in force","nonce":%d,`+
			`"policy_sha256":"%x","policy_version":%d},`+
			`"log_id":%q,"occurred_at":%q,"protocol":%q,"salt":%q,"sequence":%d,"tenant_id":%q,%s"type":"policy.synced"}`,
		random.Uint32(), sha256.Sum256([]byte("policy")), sequence%7+1, log, at.Format("2006-01-02T15:04:05.000Z"),
		event.Protocol, base64.RawURLEncoding.EncodeToString(salt[:]), sequence, testTenant, transaction)
}

// seal makes an event of a body and its links, with the right hash.
func sealEvent(body string, link chain.Link) []byte {
	link.Body = sha256.Sum256([]byte(body))
	h := link.Hash()
	signature := append(h[:], h[:]...)
	return fmt.Appendf(nil,
		`{"body":%s,"hash":"%s","key_id":"mesh-berlin-1","previous_hash":"%s","signature":"%s","skip_hash":"%s"}`, body, h,
		link.Previous, base64.RawURLEncoding.EncodeToString(signature), link.Skip)
}

// hashOf is the hash that an event claims.
func hashOf(line []byte) chain.Hash {
	var l event.Line
	if !event.Scan(line, &l) {
		panic("not an event: " + string(line))
	}
	return l.Recorded
}

// file joins lines into a journal file.
func file(lines [][]byte) []byte {
	return append(bytes.Join(lines, []byte("\n")), '\n')
}

func TestGeneratedEventsAreSound(t *testing.T) {
	for _, line := range journal("node/mesh-berlin-1", 50, 1) {
		var l event.Line
		if !event.Scan(line, &l) || l.Link.Hash() != l.Recorded {
			t.Fatalf("not a sound event: %s", line)
		}
	}
}
