package sealkey_test

import (
	"bytes"
	"testing"

	"filippo.io/mldsa"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/vectors"
)

// TestVectors: the library agrees with the public vectors of ML-DSA-65.
func TestVectors(t *testing.T) {
	verify := func(v vectors.MLDSASignature) bool {
		public, err := mldsa.NewPublicKey(mldsa.MLDSA65(), v.Public)
		return err == nil && mldsa.Verify(public, v.Message, v.Signature, &mldsa.Options{Context: string(v.Context)}) == nil
	}
	valid := map[bool]int{}
	for _, v := range vectors.MLDSA65(t) {
		valid[v.Valid]++
		got := verify(v)
		check.That(t, got == v.Valid, "%s: %v", v.Comment, got)
	}
	check.That(t, valid[true] >= 10 && valid[false] >= 20,
		"%d valid and %d invalid signatures", valid[true], valid[false])
	for _, v := range vectors.MLDSA65Seeds(t) {
		key, err := mldsa.NewPrivateKey(mldsa.MLDSA65(), v.Seed)
		var signature []byte
		if err == nil {
			signature, err = key.SignDeterministic(v.Message, &mldsa.Options{Context: string(v.Context)})
		}
		check.That(t, (err == nil) == v.Valid && (!v.Valid || bytes.Equal(signature, v.Signature) &&
			bytes.Equal(key.PublicKey().Bytes(), v.Public)), "by a seed: %s: %v", v.Comment, err)
	}
}
