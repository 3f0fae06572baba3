package codec

import (
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// Members writes the members of an object as canonical JSON, or reads them. They come in the
// order of their names. A name that ends in "?" is optional: it is left out where its value is
// zero, or an integer below its least. No text that is written has a control character.
type Members struct {
	*form.Reader              // of the document that is read; nil if one is written
	Value        *ijson.Value // of the object that is read, else nil
	object       form.Object
	names        []string // of the members that were read
	json         []byte   // written so far
	begun        bool     // not at the first member
}

// WriteMembers begins an object behind b. [Members.End] ends it.
func WriteMembers(b []byte) Members { return Members{json: b} }

// End ends an object that was written, and returns b with it.
func (m *Members) End() []byte {
	if !m.begun {
		m.json = append(m.json, '{')
	}
	return append(m.json, '}')
}

// ReadMembers reads a value as an object with the described members.
func ReadMembers(r *form.Reader, v *ijson.Value, describe func(*Members)) {
	m := Members{Reader: r, Value: v, object: r.OpenObject(v), names: make([]string, 0, 8)}
	describe(&m)
	m.object.CheckClosed(m.names)
}

// ReadDocument reads a canonical document of at most so many bytes. An error is an
// *ijson.Fault.
func ReadDocument(doc []byte, most int, describe func(*Members)) error {
	return form.ReadCanonical(doc, most, func(r *form.Reader, v *ijson.Value) { ReadMembers(r, v, describe) })
}

// Writing reports whether members are written.
func (m *Members) Writing() bool { return m.Reader == nil }

// Has reports whether the object that is read has a member.
func (m *Members) Has(name string) bool { return m.Reader != nil && m.object.Has(name) }

// Next begins a member. Where a document is read, the value is the member's, or nil if there
// is none. Write is set where the caller is to write the value.
func (m *Members) Next(name string, zero bool) (value *ijson.Value, write bool) {
	bare, optional := strings.CutSuffix(name, "?")
	switch {
	case m.Reader != nil:
		m.names, value = append(m.names, name), m.object.Expect(name)
	case !zero || !optional:
		separator := byte('{')
		if m.begun {
			separator = ','
		}
		m.begun, write = true, true
		m.json = append(append(append(m.json, separator, '"'), bare...), '"', ':')
	}
	return value, write
}

// WriteRaw writes a value that is canonical JSON.
func (m *Members) WriteRaw(value []byte) { m.json = append(m.json, value...) }

// WriteText writes a text as a value.
func (m *Members) WriteText(text string) {
	m.json = append(m.json, '"')
	for i := range len(text) {
		if c := text[i]; c == '"' || c == '\\' {
			m.json = append(m.json, '\\')
		}
		m.json = append(m.json, text[i])
	}
	m.json = append(m.json, '"')
}

// Text packs a text of the form that is wanted.
func (m *Members) Text(name string, s *string, want string, ok func(string) bool) {
	if v, write := m.Next(name, *s == ""); write {
		m.WriteText(*s)
	} else if v != nil {
		*s = m.Reader.Text(v, want, ok)
	}
}

// OneOf packs one of some words.
func OneOf[S ~string](m *Members, name string, s *S, words ...string) {
	if v, write := m.Next(name, *s == ""); write {
		m.WriteText(string(*s))
	} else if v != nil {
		*s = S(m.object.OneOf(v.Name(), words...))
	}
}

// Protocol packs the protocol of the document.
func (m *Members) Protocol(protocol string) {
	if v, write := m.Next("protocol", false); write {
		m.WriteText(protocol)
	} else if v != nil {
		m.object.Protocol(protocol)
	}
}

// Number packs an integer.
func Number[N ~int | ~int64](m *Members, name string, n *N, least, most int64) {
	if v, write := m.Next(name, int64(*n) < least); write {
		m.json = strconv.AppendInt(m.json, int64(*n), 10)
	} else if v != nil {
		*n = N(m.object.Int(v.Name(), least, most))
	}
}

// Truth packs a boolean.
func (m *Members) Truth(name string, is *bool) {
	v, write := m.Next(name, !*is)
	switch {
	case write:
		m.json = strconv.AppendBool(m.json, *is)
	case v == nil:
	case v.Kind() != ijson.Bool:
		m.Fault(v, form.BadValue, ijson.Bool.String(), v.Kind().String())
	default:
		*is = v.Bool()
	}
}

// WriteHash writes a digest in hexadecimal as a value.
func (m *Members) WriteHash(digest []byte) {
	m.json = append(hex.AppendEncode(append(m.json, '"'), digest), '"')
}

// Hash packs a digest. One of zeros is no value of an optional member.
func (m *Members) Hash(name string, d *[32]byte) {
	v, write := m.Next(name, *d == [32]byte{})
	switch {
	case write:
		m.WriteHash(d[:])
	case v == nil:
	default:
		if *d = m.Reader.Digest(v); *d == ([32]byte{}) && strings.HasSuffix(name, "?") {
			m.Fault(v, form.BadValue, "a digest, or no such member", "zeros")
		}
	}
}

// Hash512 packs a digest of 512 bits. One of zeros is no value of an optional member.
func Hash512[D ~[64]byte](m *Members, name string, d *D) {
	if v, write := m.Next(name, *d == D{}); write {
		m.WriteHash((*d)[:])
	} else if v != nil {
		*d = m.object.SHA512(v.Name())
	}
}

// Hashes512 packs a list of such digests, and returns it as it was read.
func Hashes512[D ~[64]byte](m *Members, name string, all *[]D, least, most int) (list []*ijson.Value, texts []string) {
	for i := range *all {
		texts = append(texts, hex.EncodeToString((*all)[i][:]))
	}
	m.Texts(name, texts, least, most, func(read []*ijson.Value) {
		list = read
		for _, v := range read {
			texts = append(texts, m.Reader.Text(v, "a SHA-512 digest: 128 lower-case hex digits", func(s string) bool {
				d, ok := form.SHA512(s)
				*all = append(*all, d)
				return ok
			}))
		}
	})
	return list, texts
}

// Bytes packs so many bytes in base64url.
func (m *Members) Bytes(name string, b *[]byte, size int) {
	if v, write := m.Next(name, len(*b) == 0); write {
		m.WriteText(form.EncodeBase64URL(*b))
	} else if v != nil {
		*b = m.object.Bytes(v.Name(), size, size)
	}
}

// Time packs a time.
func (m *Members) Time(name string, at *time.Time) {
	if v, write := m.Next(name, at.IsZero()); write {
		m.WriteText(form.FormatTime(*at))
	} else if v != nil {
		*at = m.object.Time(v.Name())
	}
}

// Moment packs a time, in milliseconds since 1970.
func (m *Members) Moment(name string, ms *int64) {
	if v, write := m.Next(name, *ms == 0); write {
		m.json = append(append(append(m.json, '"'), form.FormatMillis(*ms)...), '"')
	} else if v != nil {
		*ms = m.object.Time(v.Name()).UnixMilli()
	}
}

// Texts packs a list of texts. The function is called with the elements that are read.
func (m *Members) Texts(name string, all []string, least, most int, read func([]*ijson.Value)) {
	v, write := m.Next(name, len(all) == 0)
	if v != nil {
		read(m.object.List(v.Name(), least, most))
	}
	if !write {
		return
	}
	m.json = append(m.json, '[')
	for i, text := range all {
		if i > 0 {
			m.json = append(m.json, ',')
		}
		m.WriteText(text)
	}
	m.json = append(m.json, ']')
}

// Part packs an object. A nil pointer is no object.
func Part[T any](m *Members, name string, part **T, describe func(*T, *Members)) {
	v, write := m.Next(name, *part == nil)
	if v != nil {
		*part = new(T)
	}
	m.packObject(v, write, func(m *Members) { describe(*part, m) })
}

// Inner packs an object that must be there, and returns it as it is read.
func (m *Members) Inner(name string, describe func(*Members)) *ijson.Value {
	v, write := m.Next(name, false)
	m.packObject(v, write, describe)
	return v
}

// packObject packs the value of a member.
func (m *Members) packObject(v *ijson.Value, write bool, describe func(*Members)) {
	if write {
		inner := WriteMembers(m.json)
		describe(&inner)
		m.json = inner.End()
	} else if v != nil {
		ReadMembers(m.Reader, v, describe)
	}
}
