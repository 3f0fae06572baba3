package main

import (
	"strings"
	"testing"
)

// TestMovedLines: a former command names the line to type, which the program understands.
func TestMovedLines(t *testing.T) {
	t.Chdir(t.TempDir())
	for former, want := range map[string]string{
		"trust fingerprint t.json --output json":                           "trust show t.json --output json",
		"trust explain --minimum-approvals 2 t.json":                       "trust show --minimum-approvals 2 t.json",
		"archive request --seal-trust k.json --out 1.tsq 1.seal":           "archive seal --request 1.tsq --seal-trust k.json 1.seal",
		"archive renew --rehash sha-512 --out=1.tsq 1.seal data":           "archive seal --request 1.tsq --rehash sha-512 1.seal data",
		"archive stamp --token 1.tsr --seal-trust k.json 1.seal":           "archive seal --token 1.tsr --seal-trust k.json 1.seal",
		"archive check-bag -":                                              "archive verify -",
		"archive verify-seal --seal-trust s.json a.seal dir":               "archive verify --seal-trust s.json a.seal dir",
		"archive verify-object --proof 1.proof --seal-trust s.json 1.json": "archive verify 1.proof --seal-trust s.json 1.json",
		"archive premis --ledger l --out p.xml":                            "archive export --premis --ledger l --out p.xml",
		"archive diff --ledger l 1 12 -o json":                             "archive log --objects --since 1 --until 12 --ledger l -o json",
		"archive keygen --out records.key --by a;b":                        "archive key records.key --new --by 'a;b'",
		"archive keygen": "archive key --new",
		"archive public --from 2026-01-01 --until=x 1.k": "archive key --from 2026-01-01 --until=x 1.k",
	} {
		code, stdout, stderr := call(nil, strings.Fields(former)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, "; type: svc-verify "+want+"\n") {
			t.Errorf("%s: exit code %d\n%s%s", former, code, stdout, stderr)
		}
		_, _, stderr = call(nil, strings.Fields(strings.ReplaceAll(want, "'", ""))...)
		if strings.Contains(stderr, "has no ") {
			t.Errorf("%s is no command line: %s", want, stderr)
		}
	}
}
