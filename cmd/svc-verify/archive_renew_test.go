package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/must"
	tsa "github.com/svc-edge/svc-verify/internal/tsatest"
)

// scriptAuthority is an authority of the scripts and its signer.
type scriptAuthority struct{ root, signer tsa.Identity }

// scriptAuthorities are the authorities of the scripts: rsa and ecdsa to 2032 and 2037,
// and ml-dsa to 2050.
var scriptAuthorities = sync.OnceValue(func() map[string]scriptAuthority {
	all := map[string]scriptAuthority{}
	for _, a := range []struct {
		name        string
		key         func() tsa.Key
		from, until int
	}{{"rsa", tsa.RSA, 2020, 2032}, {"ecdsa", tsa.ECDSA, 2025, 2037}, {"ml-dsa", tsa.MLDSA, 2030, 2050},
		{"strange", tsa.ECDSA, 2020, 2050}} {
		root := tsa.Authority(a.name+" root", a.key(), yearOf(a.from), yearOf(a.until+10))
		all[a.name] = scriptAuthority{root, root.Stamper(a.name+" signer", a.key(), yearOf(a.from), yearOf(a.until))}
	}
	return all
})

func yearOf(n int) time.Time { return time.Date(n, 3, 2, 9, 0, 0, 0, time.UTC) }

// scriptTSA is an authority for scripts:
//
//	tsa pin FILE NAME...             pins authorities in a file of --seal-trust
//	tsa stamp NAME REQUEST OUT YEAR  answers a request
//	tsa crl NAME OUT YEAR [REVOKED]  writes a CRL, in which the signer is revoked since a year
//	tsa seal DIR KEY OUT YEAR        seals a folder, without a ledger
//
// Years begin on the second of March at nine.
func scriptTSA(ts *testscript.TestScript, _ bool, args []string) {
	switch args[0] {
	case "pin":
		pinAuthorities(ts.MkAbs(args[1]), args[2:])
	case "stamp":
		answer := scriptAuthorities()[args[1]].signer.Stamp([]byte(ts.ReadFile(args[2])), scriptYear(ts, args[4]))
		ts.Check(os.WriteFile(ts.MkAbs(args[3]), answer, 0o644))
	case "crl":
		a, at := scriptAuthorities()[args[1]], scriptYear(ts, args[3])
		var revoked []tsa.Revoked
		if len(args) > 4 {
			revoked = append(revoked, tsa.Revoked{Certificate: a.signer.Certificate, At: scriptYear(ts, args[4]), Reason: 1})
		}
		ts.Check(os.WriteFile(ts.MkAbs(args[2]), a.root.CRL(at.AddDate(0, -1, 0), at.AddDate(0, 1, 0), revoked), 0o644))
	case "seal":
		sealFolder(ts.MkAbs(args[1]), ts.MkAbs(args[2]), ts.MkAbs(args[3]), scriptYear(ts, args[4]))
	default:
		ts.Fatalf("tsa %s", args[0])
	}
}

func scriptYear(ts *testscript.TestScript, text string) time.Time {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return yearOf(n)
}

// pinAuthorities adds authorities of the scripts to a file of --seal-trust.
func pinAuthorities(file string, names []string) {
	var doc map[string]any
	must.Have(0, json.Unmarshal(must.Have(os.ReadFile(file)), &doc))
	pinned := map[string]any{}
	for _, n := range names {
		pinned[n] = map[string]any{"certificates": []string{form.EncodeBase64URL(
			scriptAuthorities()[n].root.Certificate.Raw)}, "valid_from": form.FormatTime(yearOf(2020))}
	}
	doc["authorities"] = pinned
	must.Have(0, os.WriteFile(file, must.Have(json.Marshal(doc)), 0o644))
}

// sealFolder seals a folder as archive seal does, with a ledger that has all of it.
func sealFolder(dir, key, out string, at time.Time) {
	root := must.Have(listing.Open(dir))
	defer root.Close()
	leaves := must.Have(os.Create(out + leavesSuffix))
	defer leaves.Close()
	known := func(yield func(*ledger.Object, error) bool) {
		for e, err := range root.All(context.Background()) {
			octets, fault := os.ReadFile(filepath.Join(dir, filepath.FromSlash(e.Path)))
			row := &ledger.Object{Path: e.Path, Size: e.Size, SHA256: sha256.Sum256(octets)}
			if !yield(row, errors.Join(err, fault)) {
				return
			}
		}
	}
	file, r, err := seal.Make(context.Background(), seal.Options{Archive: root, Known: known,
		Key: must.Have(sealkey.Load(key)), Leaves: leaves, Statement: seal.Statement{Hash: seal.SHA512,
			Run: sha256.Sum256(nil), Trust: [][64]byte{{1}}, SealedAt: at}})
	if err != nil || file == nil {
		panic(fmt.Sprintf("sealing: %+v, %v", r, err))
	}
	must.Have(0, os.WriteFile(out, file, 0o644))
}
