package nodeconfig

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/internal/eddsa"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// setting is one setting of the file: its name, whether it must be there, and
// how its value is read.
type setting struct {
	name string
	need need
	read slot
}

type need bool

const (
	required need = true
	optional need = false
)

// slot judges one value and, if its form is good, stores it.
type slot func(*decoder, *ijson.Value)

// decoder reads one object and gathers its faults.
type decoder struct {
	*collector
	object *ijson.Value
	base   string          // the folder that relative paths start from
	known  map[string]bool // the names that the object may have
}

func newDecoder(c *collector, object *ijson.Value, base string) *decoder {
	return &decoder{c, object, base, map[string]bool{}}
}

// take reads settings, and records those that are required and absent.
func (d *decoder) take(settings []setting) {
	for _, s := range settings {
		d.known[s.name] = true
		if v, ok := d.object.Member(s.name); ok {
			s.read(d, v)
		} else if s.need == required {
			d.absent(s.name, "this setting")
		}
	}
}

func (d *decoder) absent(name, expected string) {
	d.fault(d.object.Pointer()+"/"+name, expected, "none")
}

// refuse records every one of the settings that is there, for the reason given.
func (d *decoder) refuse(settings []setting, expected string) {
	for _, s := range settings {
		d.known[s.name] = true
		if v, ok := d.object.Member(s.name); ok {
			d.at(v, expected, "this one")
		}
	}
}

// close records every unknown name.
func (d *decoder) close() {
	for _, m := range d.object.Members() {
		if !d.known[m.Name] {
			d.at(m.Value, "a setting of a node", "the unknown name "+quoteText(m.Name))
		}
	}
}

// has reports whether a setting is there, whatever its value.
func (d *decoder) has(name string) bool {
	_, ok := d.object.Member(name)
	return ok
}

// on returns whether the part with this prefix is switched on. A part whose
// switch is absent is off.
func (d *decoder) on(prefix string) bool {
	name := prefix + "enabled"
	d.known[name] = true
	v, ok := d.object.Member(name)
	return ok && d.is(v, ijson.Bool) && v.Bool()
}

// textSlot reads a text of the grammar.
func textSlot(dst *string, g grammar) slot {
	return func(d *decoder, v *ijson.Value) {
		if d.is(v, ijson.String) && d.holds(v, g) {
			*dst = v.Text()
		}
	}
}

func (d *decoder) holds(v *ijson.Value, g grammar) bool {
	if !g.holds(v.Text()) {
		d.at(v, g.expected, g.found(v.Text()))
		return false
	}
	return true
}

// fileSlot reads a path.
func fileSlot(dst *File) slot {
	return func(d *decoder, v *ijson.Value) {
		if !d.is(v, ijson.String) || !d.holds(v, filePath) {
			return
		}
		path := filepath.FromSlash(v.Text())
		if !filepath.IsAbs(path) {
			path = filepath.Join(d.base, path)
		}
		*dst = File{v.Pointer(), path}
	}
}

// numberSlot reads an integer within the bounds, which are both allowed.
func numberSlot(dst *int, low, high int64) slot {
	return func(d *decoder, v *ijson.Value) {
		if !d.is(v, ijson.Number) {
			return
		}
		if n := v.Int(); low <= n && n <= high {
			*dst = int(n)
			return
		}
		d.at(v, fmt.Sprintf("an integer from %d to %d", low, high), fmt.Sprint(v.Int()))
	}
}

// secondsSlot reads a number of seconds within the bounds.
func secondsSlot(dst *time.Duration, low, high int64) slot {
	return func(d *decoder, v *ijson.Value) {
		n := 0
		numberSlot(&n, low, high)(d, v)
		*dst = time.Duration(n) * time.Second
	}
}

// addressSlot reads where the local API listens.
func addressSlot(dst *netip.AddrPort) slot {
	return func(d *decoder, v *ijson.Value) {
		text := ""
		if textSlot(&text, listenAddress)(d, v); text != "" {
			*dst = netip.MustParseAddrPort(text)
		}
	}
}

// digestSlot reads a digest.
func digestSlot(dst *[sha256.Size]byte) slot {
	return func(d *decoder, v *ijson.Value) {
		text := ""
		textSlot(&text, digest)(d, v)
		_, _ = hex.Decode(dst[:], []byte(text)) // the grammar has seen to it
	}
}

// bounds is how many elements a list may have, both inclusive.
type bounds struct{ low, high int }

// listSlot reads the elements of a list without duplicates.
func listSlot(b bounds, each func(*decoder, *ijson.Value)) slot {
	return func(d *decoder, v *ijson.Value) {
		if !d.is(v, ijson.Array) || !d.within(v, b, len(v.Elements()), "element") {
			return
		}
		seen := map[string]bool{}
		for _, e := range v.Elements() {
			if text := string(e.Canonical()); seen[text] {
				d.at(e, "each element once", "one for the second time")
			} else {
				seen[text] = true
			}
			each(d, e)
		}
	}
}

func (d *decoder) within(v *ijson.Value, b bounds, n int, thing string) bool {
	if n < b.low || n > b.high {
		d.at(v, fmt.Sprintf("%d to %s", b.low, safetext.Count(b.high, thing)), safetext.Count(n, thing))
		return false
	}
	return true
}

// keyringSlot reads Ed25519 public keys by key id.
func keyringSlot(dst *map[string]ed25519.PublicKey) slot {
	return func(d *decoder, v *ijson.Value) {
		members := v.Members()
		if !d.is(v, ijson.Object) || !d.within(v, bounds{1, 16}, len(members), "key") {
			return
		}
		*dst = map[string]ed25519.PublicKey{}
		for _, m := range members {
			if !identifier.holds(m.Name) {
				d.at(m.Value, "a key id: "+identifier.expected, quoteText(m.Name))
			}
			if key := d.publicKey(m.Value); key != nil {
				(*dst)[m.Name] = key
			}
		}
	}
}

// publicKey returns the key that v holds, and nil if it holds none that may be
// relied on.
func (d *decoder) publicKey(v *ijson.Value) ed25519.PublicKey {
	text := ""
	if textSlot(&text, publicKey)(d, v); text == "" {
		return nil
	}
	var key [ed25519.PublicKeySize]byte
	_, _ = base64.RawURLEncoding.Decode(key[:], []byte(text)) // the grammar has seen to it
	if weakness := eddsa.Weakness(key); weakness != "" {
		d.at(v, "a key that only its holder can sign for", weakness)
		return nil
	}
	return slices.Clone(key[:])
}

// probeSlot reads one probe of the dependency discovery.
func probeSlot(dst *[]Probe) func(*decoder, *ijson.Value) {
	return func(d *decoder, v *ijson.Value) {
		if !d.is(v, ijson.Object) {
			return
		}
		var p Probe
		inner := newDecoder(d.collector, v, d.base)
		inner.take([]setting{
			{"service", required, textSlot(&p.Service, identifier)},
			{"address", required, textSlot(&p.Address, target)},
		})
		inner.close()
		*dst = append(*dst, p)
	}
}
