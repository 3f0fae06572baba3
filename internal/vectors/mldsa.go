package vectors

import (
	"encoding/json"
	"testing"
)

// MLDSASignature is one ML-DSA-65 vector: whether a signature of a message, in a
// context, is a key's.
type MLDSASignature struct {
	Comment                             string
	Seed                                []byte // of the key, in vectors of [MLDSA65Seeds]
	Public, Message, Context, Signature []byte
	Valid                               bool
}

// MLDSA65 returns vectors of Wycheproof for verifying.
func MLDSA65(t testing.TB) []MLDSASignature { return mldsa65(t, "mldsa_65_verify_test.json.gz", 50) }

// MLDSA65Seeds returns vectors of Wycheproof for deterministic signing by a seed.
// Those that are not valid have a seed or a context that must be refused.
func MLDSA65Seeds(t testing.TB) []MLDSASignature {
	return mldsa65(t, "mldsa_65_sign_seed_test.json.gz", 18)
}

func mldsa65(t testing.TB, name string, least int) []MLDSASignature {
	t.Helper()
	var file struct {
		TestGroups []struct {
			PublicKey   string
			PrivateSeed string
			Tests       []struct{ Comment, Msg, Ctx, Sig, Result string }
		}
	}
	if err := json.Unmarshal(unzipFile(t, readFile(t, "wycheproof/"+name)), &file); err != nil {
		t.Fatal(err)
	}
	var all []MLDSASignature
	for _, g := range file.TestGroups {
		for _, c := range g.Tests {
			all = append(all, MLDSASignature{c.Comment, unhex(t, g.PrivateSeed), unhex(t, g.PublicKey), unhex(t, c.Msg),
				unhex(t, c.Ctx), unhex(t, c.Sig), c.Result == "valid"})
		}
	}
	if len(all) < least {
		t.Fatalf("%s has %d cases, want at least %d", name, len(all), least)
	}
	return all
}
