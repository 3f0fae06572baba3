package packed_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read/packed"
	"github.com/svc-edge/svc-verify/forensics/read/rows"
	"github.com/svc-edge/svc-verify/internal/must"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	return must.Get(hex.DecodeString(strings.ReplaceAll(s, " ", "")))(t)
}

// The documents of these tests are those of pymongo 4.15 and msgpack 1.1 for Python.
const (
	bsonHex = "c2000000075f69640065a1b2c3d4e5f60718293a4b016400000000000000f83f02730005000000c3bc220a00036f001b" +
		"00000004610013000000103000010000000a31000832000100000562000200000000ff00097400fb9ac6ad9c01000010" +
		"6900fbffffff126c0000000000000000100b7200612e620069000d630004000000782829000f63730018000000040000" +
		"00792829000c000000107a000100000000117473000200000001000000ff6d00036500050000000004656c0005000000" +
		"0000"
	bsonRow = `{"_id":"65a1b2c3d4e5f60718293a4b","d":1.5,"s":"ü\"\u000a","o":{"a":[1,null,true]},"b":"/wA` +
		`=","t":"2026-03-02T09:00:00.123Z","i":-5,"l":1152921504606846976,"r":"a.b","c":"x()","cs":` +
		`"y()","ts":4294967298,"m":null,"e":{},"el":[]}`
	packHex = "92d70069a551900000000589a36c6f67aa7b2261223a22c3bc227da16e9a00ffd0dfccc8ce00011170cf000001000000" +
		"0000d3ffffff0000000000cfffffffffffffffffd1ff38d2fffeee90a166cb3fe0000000000000a162c401ffa174c3a1" +
		"78c0a16d820102a16b80a46c6f6e67d9287a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a" +
		"7a7a7a7a7a7a7a7a7aa46d616e79dc0014000102030405060708090a0b0c0d0e0f10111213"
	packRow = `{"time":"2026-03-02T09:00:00.000000005Z","record":{"log":"{\"a\":\"ü\"}","n":[0,-1,-33,200` +
		`,70000,1099511627776,-1099511627776,18446744073709551615,-200,-70000],"f":0.5,"b":"/w==","` +
		`t":true,"x":null,"m":{"{\"key\":1}":2,"k":{}},"long":"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz` +
		`zzzz","many":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]}}`
)

func TestBSON(t *testing.T) {
	var row rows.Text
	b := unhex(t, bsonHex)
	if n, err := packed.BSON(append(b, "more"...), &row); err != nil || n != len(b) || string(row.Close()) != bsonRow {
		t.Errorf("%d %v\n got %s\nwant %s", n, err, row.Close(), bsonRow)
	}
	for n := range b {
		if _, err := packed.BSON(b[:n], &row); !errors.Is(err, packed.ErrShort) {
			t.Errorf("first %d: %v", n, err)
		}
	}
}

func TestMessagePack(t *testing.T) {
	var row rows.Text
	b := unhex(t, packHex)
	if n, err := packed.MessagePack(append(b, 0xc1), &row, 1<<20); err != nil || n != len(b) ||
		string(row.Close()) != packRow {
		t.Errorf("%d %v\n got %s\nwant %s", n, err, row.Close(), packRow)
	}
	for n := range b {
		if _, err := packed.MessagePack(b[:n], &row, 1<<20); !errors.Is(err, packed.ErrShort) {
			t.Errorf("first %d: %v", n, err)
		}
	}
}

func TestNoDocument(t *testing.T) {
	var row rows.Text
	for name, s := range map[string]string{
		"too short":   "04000000 00",
		"negative":    "ffffffff 00",
		"no end":      "06000000 0a61",
		"of no kind":  "08000000 2061 0000",
		"inner size":  "0d000000 0361 00 ff000000 0000",
		"more inside": "07000000 000000",
		"no zero":     "0f000000 0261 00 02000000 6161 00 00",
	} {
		if _, err := packed.BSON(unhex(t, s), &row); !errors.Is(err, packed.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	deep := strings.Repeat("91", 1000) + "c0"
	for name, s := range map[string]string{"unused": "91c1", "deep": deep, "a number": "41"} {
		if _, err := packed.MessagePack(unhex(t, s), &row, 1<<20); !errors.Is(err, packed.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := packed.MessagePack(unhex(t, "ddffffffff"+strings.Repeat("c0", 2000)), &row, 1000); !errors.Is(err,
		packed.ErrDamaged) {
		t.Error(err)
	}
}

// FuzzPacked wants rows that are JSON, and none that is much larger than its octets.
func FuzzPacked(f *testing.F) {
	f.Add(unhex(f, bsonHex))
	f.Add(unhex(f, packHex))
	f.Fuzz(func(t *testing.T, b []byte) {
		var row rows.Text
		check := func(n int, err error) {
			if err != nil {
				return
			}
			text := bytes.ToValidUTF8(row.Close(), []byte("?"))
			if n > len(b) || len(text) > 40*n+64 || !json.Valid(text) {
				t.Fatalf("%d of %d octets: %s", n, len(b), text)
			}
		}
		check(packed.BSON(b, &row))
		check(packed.MessagePack(b, &row, 1<<20))
	})
}
