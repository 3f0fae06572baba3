package eddsa

import "testing"

// FuzzVerify compares the narrow tables with crypto/ed25519 on any key, message and
// signature, and on those made from them: a signature with components of small
// order under a key that has one, the same damaged by a mask, cut, with S + l
// and with the sign of R turned.
func FuzzVerify(f *testing.F) {
	public, items := signed(40, 2)
	for i, item := range items {
		f.Add(public[:], item.Message, item.Signature, uint8(i))
		f.Add(unhex(f, smallOrder[3+i]), item.Message, append(unhex(f, smallOrder[i]), make([]byte, 32)...), uint8(17*i))
	}
	f.Add(unhex(f, smallOrder[11]), []byte{}, []byte{}, uint8(0x35))
	f.Add([]byte("secret"), []byte("message"), make([]byte, 80), uint8(0))
	f.Fuzz(func(t *testing.T, key, message, signature []byte, components uint8) {
		var raw [32]byte
		copy(raw[:], key)
		agreeWith(t, tabled(raw), []Item{{message, signature}})

		forger := newForger(t, key, int(components&7))
		made := forger.sign(t, message, int(components>>3&7))
		masked := append(append([]byte(nil), made...), make([]byte, max(0, len(signature)-len(made)))...)
		for i, b := range signature {
			masked[i] ^= b
		}
		held := agreeWith(t, tabled(forger.public), []Item{
			{message, made},
			{message, masked},
			{message, signature},
			{message, made[:min(len(signature), len(made))]},
			{message, plusOrder(t, made)},
			{message, flip(made, 255)},
			{append([]byte{components}, message...), made},
		})
		if components&63 == 0 && held == 0 {
			t.Errorf("the honest signature %x of %x under %x does not hold", made, message, forger.public)
		}
	})
}
