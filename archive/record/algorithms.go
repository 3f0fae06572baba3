package record

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// AlgorithmsProtocol is the protocol of the file of --algorithms (SPEC 17.9).
const AlgorithmsProtocol = "svc.archive-algorithms.v1"

// MaxAlgorithms bounds that file in bytes.
const MaxAlgorithms = 64 << 10

// Algorithms records until when algorithms are believed. It comes from [ParseAlgorithms], or
// is the built-in table.
type Algorithms struct {
	table Table
	rows  []row
	// horizon is until when an algorithm without a row is believed; zero for never.
	horizon time.Time
}

// Table names a table of dates.
type Table struct {
	Source string `json:"source"` // built-in, or file
	AsOf   string `json:"as_of"`  // the day of the built-in table; "" for a file
	SHA256 string `json:"sha256"` // of the file; "" for the built-in table
}

// builtIn is the table of SPEC 17.9, for those who give no other.
var builtIn = &Algorithms{table: Table{Source: "built-in", AsOf: "2026-11-30"}, horizon: beginOf(2041), rows: []row{
	{timestamp.Algorithm{Name: "ecdsa", Bits: 256}, beginOf(2036)},
	{timestamp.Algorithm{Name: "ed25519"}, beginOf(2036)},
	{timestamp.Algorithm{Name: "rsa", Bits: 2048}, beginOf(2031)},
	{timestamp.Algorithm{Name: "rsa", Bits: 3072}, beginOf(2036)},
}}

func beginOf(year int) time.Time { return time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC) }

type row struct {
	timestamp.Algorithm
	until time.Time
}

// names are the algorithms that a file can have; those with sizes are marked.
var names = map[string]bool{
	"sha-256": false, "sha-384": false, "sha-512": false, "sha3-256": false, "sha3-384": false, "sha3-512": false,
	"rsa": true, "ecdsa": true, "ed25519": false, "ml-dsa-44": false, "ml-dsa-65": false, "ml-dsa-87": false,
}

// AlgorithmsFaults are all faults of such a file: errors of the operator.
type AlgorithmsFaults []ijson.Fault

// Error returns the first fault.
func (f AlgorithmsFaults) Error() string {
	return "the file of --algorithms cannot be used: " + f[0].Error()
}

// ParseAlgorithms reads a file with dates of algorithms. An error is of type
// [AlgorithmsFaults].
func ParseAlgorithms(doc []byte) (*Algorithms, error) {
	v, fault := form.Parse(doc, MaxAlgorithms, "octets")
	if fault != nil {
		return nil, AlgorithmsFaults{*fault}
	}
	var r form.Reader
	o := r.Object(v, "algorithms", "protocol")
	o.Protocol(AlgorithmsProtocol)
	a := &Algorithms{table: Table{Source: "file", SHA256: fmt.Sprintf("%x", sha256.Sum256(doc))}}
	list := o.List("algorithms", 1, 256)
	for i, v := range list {
		next := readRow(&r, v)
		if i > 0 && len(a.rows) == i && compareRows(a.rows[i-1], next) >= 0 {
			r.Fault(v, form.Unordered, "rows ascending by name and bits, each once", "another order")
		}
		a.rows = append(a.rows, next)
	}
	if f := r.Faults(); len(f) > 0 {
		return nil, AlgorithmsFaults(f)
	}
	return a, nil
}

func readRow(r *form.Reader, v *ijson.Value) row {
	o := r.Object(v, "bits?", "name", "until")
	name := o.Text("name", "the name of an algorithm", func(s string) bool { _, ok := names[s]; return ok })
	one := row{timestamp.Algorithm{Name: name}, o.Time("until")}
	switch sized := names[name]; {
	case sized && !o.Has("bits"):
		r.Fault(v, form.BadValue, "the least bits of a key", "none")
	case sized:
		one.Bits = int(o.Int("bits", 1, 1<<16))
	case o.Has("bits") && name != "":
		r.Fault(o.Get("bits"), form.UnknownMember, "no bits: "+name+" has one size", "bits")
	}
	return one
}

func compareRows(a, b row) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Bits, b.Bits))
}

// Until returns until before when an algorithm is believed: by the row of its name with the
// most bits that it has. It is false if there is none: nothing is known of the time after.
func (a *Algorithms) Until(x timestamp.Algorithm) (time.Time, bool) {
	for _, r := range slices.Backward(a.rows) {
		if r.Name == x.Name && r.Bits <= x.Bits {
			return r.until, true
		}
	}
	if sized, known := names[x.Name]; !known || sized {
		return time.Time{}, false
	}
	return a.horizon, false
}
