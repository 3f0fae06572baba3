package main

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
)

// movedLines are former command lines, each with the line to type now.
const movedLines = `archive check-bag -
  archive verify -
archive diff --ledger l 1 12 -o json
  archive log --objects --since 1 --until 12 --ledger l -o json
archive keygen --out records.key --by a;b
  archive key records.key --new --by 'a;b'
archive keygen
  archive key --new
archive premis --ledger l --out p.xml
  archive export --premis --ledger l --out p.xml
archive public --from 2026-01-01 --until=x 1.k
  archive key --from 2026-01-01 --until=x 1.k
archive renew --rehash sha-512 --out=1.tsq 1.seal data
  archive seal --request 1.tsq --rehash sha-512 1.seal data
archive request --seal-trust k.json --out 1.tsq 1.seal
  archive seal --request 1.tsq --seal-trust k.json 1.seal
archive stamp --token 1.tsr --seal-trust k.json 1.seal
  archive seal --token 1.tsr --seal-trust k.json 1.seal
archive verify-object --proof 1.proof --seal-trust s.json 1.json
  archive verify 1.proof --seal-trust s.json 1.json
archive verify-seal --seal-trust s.json a.seal dir
  archive verify --seal-trust s.json a.seal dir
trust explain --minimum-approvals 2 t.json
  trust show --minimum-approvals 2 t.json
trust fingerprint t.json --output json
  trust show t.json --output json
trust history add --trust t.json --key k --by A --reason b;c --at 2026-01-05 t.history
  trust history --add t.json --from 2026-01-05 --key k --by A --reason 'b;c' t.history
trust history show --seal-trust s.json --at 2026-01-05 t.history
  trust history --seal-trust s.json --at 2026-01-05 t.history
`

// TestMovedLines: a former command names the line to type, which the program understands.
func TestMovedLines(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := strings.Split(movedLines, "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		former, want := lines[i], strings.TrimSpace(lines[i+1])
		code, stdout, stderr := call(nil, strings.Fields(former)...)
		check.That(t, code == 2 && stdout == "" && strings.Contains(stderr, "; type: svc-verify "+want+"\n"),
			"%s: exit code %d\n%s%s", former, code, stdout, stderr)
		_, _, stderr = call(nil, strings.Fields(strings.ReplaceAll(want, "'", ""))...)
		check.That(t, !strings.Contains(stderr, "has no "), "%s is no command line: %s", want, stderr)
	}
}

// TestFormerFlags: the answer to a former flag is what to do instead.
func TestFormerFlags(t *testing.T) {
	for line, want := range map[string]string{
		"ingest --by-reference c.db p":      "ingest no longer has --by-reference: a case has all events whole",
		"ingest --explain p":                "ingest no longer has --explain: type: svc-verify check --explain PATH...\n",
		"check --status issued --trust t p": "check no longer has --status: a status is demanded of a proof; type: ",
	} {
		code, stdout, stderr := call(nil, strings.Fields(line)...)
		check.That(t, code == 2 && stdout == "" && strings.Contains(stderr, want), "%s: %d\n%s%s", line, code, stdout, stderr)
	}
}
