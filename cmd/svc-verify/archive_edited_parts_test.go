package main

import (
	"bytes"
	"encoding/asn1"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// partEdit is one change of one part of a bag.
type partEdit struct {
	part, what string
	content    []byte
	gone       bool
}

// valueMember is a member of a JSON document with a value that has no other in it, and the comma on one side.
var valueMember = regexp.MustCompile(`,?"([a-z_0-9]+)":("(?:[^"\\]|\\.)*"|-?[0-9]+|true|false)`)

// textElement is an element of XML without another in it.
var textElement = regexp.MustCompile(`<([a-zA-Z]+)>([^<>\n]+)</`)

// unnoticed are the edits that the specification lists as not noticeable (15.6): of signatures, of text for
// people, and of the last entry of a history; and that a proof, or a second copy of a trust file, is not there.
var unnoticed = regexp.MustCompile(`premis.xml, .*(formatName|eventDetail|eventOutcomeDetailNote) changed$|` +
	`history.ndjson, line [0-9]+, (ed25519|ml_dsa_65) changed$|history.ndjson, line 2, |(a.proof|trust.json), not there$`)

// editsOf returns changes of a part: of each value, without each member, and without, with twice and in another order
// each line.
func editsOf(part string, content []byte) (all []partEdit) {
	add := func(at int, what string, before, changed, after []byte) {
		line := bytes.Count(content[:at], []byte("\n")) + 1
		content := slices.Concat(before, changed, after)
		all = append(all, partEdit{part, fmt.Sprintf("line %d, %s", line, what), content, false})
	}
	for _, m := range valueMember.FindAllSubmatchIndex(content, -1) {
		name := string(content[m[2]:m[3]])
		add(m[0], name+" changed", content[:m[4]], another(content[m[4]:m[5]]), content[m[5]:])
		from, to := m[0], m[1]
		if content[from] != ',' && content[to] == ',' {
			to++
		}
		add(m[0], name+" left out", content[:from], nil, content[to:])
	}
	if bytes.HasPrefix(content, []byte("<")) {
		for _, m := range textElement.FindAllSubmatchIndex(content, -1) {
			name := string(content[m[2]:m[3]])
			add(m[0], name+" changed", content[:m[4]], another(content[m[4]:m[5]]), content[m[5]:])
		}
		return all
	}
	lines := bytes.SplitAfter(content, []byte("\n"))
	for i, line := range lines[:len(lines)-1] {
		before, after := bytes.Join(lines[:i], nil), bytes.Join(lines[i+1:], nil)
		add(len(before), "without it", before, nil, after)
		add(len(before), "twice", before, slices.Concat(line, line), after)
		if len(lines) > i+2 {
			next := lines[i+1]
			add(len(before), "behind the next", before, slices.Concat(next, line), after[len(next):])
		}
	}
	return all
}

// another returns another value of the same kind: its last letter or digit is changed.
func another(value []byte) []byte {
	switch string(value) {
	case "true":
		return []byte("false")
	case "false":
		return []byte("true")
	}
	changed := bytes.Clone(value)
	for i := len(changed) - 1; i >= 0; i-- {
		switch c := changed[i]; {
		case c >= '1' && c <= '8', c >= 'a' && c <= 'e', c >= 'g' && c <= 'y':
			changed[i]++
			return changed
		case c == '9', c == 'f', c == 'z':
			changed[i]--
			return changed
		case c == '0':
			changed[i] = '1'
			return changed
		}
	}
	return append([]byte("1"), changed...)
}

// TestEveryEdit: each edit of each part of a bag whose manifests fit is noticed: the bag is not verified, or the answer
// names first something that was not compared.
func TestEveryEdit(t *testing.T) {
	whole := wholeBag(t)
	var all []partEdit
	parts := whole()
	maps.DeleteFunc(parts, func(part string, _ []byte) bool { return !strings.HasPrefix(part, "svc-verify/") })
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		content := parts[part]
		if !strings.HasSuffix(part, ".er") {
			all = append(all, editsOf(part, content)...)
		}
		all = append(all, partEdit{part, "not there", nil, true}, partEdit{part, "empty", nil, false},
			partEdit{part, "cut", content[:len(content)/2+1], false})
		for other, instead := range parts {
			if !bytes.Equal(instead, content) {
				all = append(all, partEdit{part, "in its place " + other, instead, false})
			}
		}
	}
	slices.SortFunc(all, func(a, b partEdit) int { return strings.Compare(a.part+a.what, b.part+b.what) })
	isNoticed := noticing(whole)
	for i := 0; i < len(all); i += chance.Sized(1, 10) {
		what := all[i].part + ", " + all[i].what
		noticed, answer := isNoticed(t, all[i])
		check.That(t, noticed || unnoticed.MatchString(what), "%s: %s", what, answer)
	}
	t.Logf("%d edits", len(all))
}

// noticing returns a function that verifies a bag with an edit, and reports whether the edit
// was noticed.
func noticing(whole func() bagFiles) func(t testing.TB, e partEdit) (noticed bool, answer string) {
	_, _, before := call(nil, "archive", "verify", "whole")
	return func(t testing.TB, e partEdit) (bool, string) {
		t.Helper()
		b, dir := whole(), filepath.Join(t.TempDir(), "bag")
		if b[e.part] = e.content; e.gone {
			delete(b, e.part)
		}
		b.writeTo(t, dir)
		code, stdout, stderr := call(nil, "archive", "verify", dir)
		return code == exitRejected || code == exitInconclusive || code == 0 && stderr != before,
			fmt.Sprintf("%d\n%.300s%s", code, stdout, stderr)
	}
}

// derElement is the place of a value of DER in a document, by the places of the values around it. Those below zero are
// from the end.
func derElement(t testing.TB, der []byte, path ...int) (from, to int) {
	t.Helper()
	to = len(der)
	for _, place := range path {
		var outer asn1.RawValue
		must.Get(asn1.Unmarshal(der[from:to], &outer))(t)
		at := from + len(outer.FullBytes) - len(outer.Bytes)
		var places [][2]int
		for rest := outer.Bytes; len(rest) > 0; {
			var inner asn1.RawValue
			rest = must.Get(asn1.Unmarshal(rest, &inner))(t)
			places = append(places, [2]int{at, at + len(inner.FullBytes)})
			at += len(inner.FullBytes)
		}
		if place < 0 {
			place += len(places)
		}
		from, to = places[place][0], places[place][1]
	}
	return from, to
}

// newestToken is the path of a value in the SignedData of the newest token of an evidence record: in the last of its
// chains, and the last time stamp of that.
func newestToken(place int) []int { return []int{-1, -1, -1, -1, 1, 0, place} }

// TestOctetsOfRecords: each changed byte of an evidence record in a bag is noticed, except in
// the version, the certificates and the signer of the newest token (SPEC 15.6).
func TestOctetsOfRecords(t *testing.T) {
	whole := wholeBag(t)
	isNoticed := noticing(whole)
	for _, part := range []string{bagSeal + ".er", bagProof + ".er"} {
		content := whole()[part]
		var unprotected [3][2]int
		for i, place := range []int{0, 3, -1} {
			unprotected[i][0], unprotected[i][1] = derElement(t, content, newestToken(place)...)
		}
		missed := 0
		for at := 0; at < len(content); at += chance.Sized(13, 61) {
			e := partEdit{part, "", bytes.Clone(content), false}
			e.content[at] ^= 1 << (at % 8)
			noticed, answer := isNoticed(t, e)
			inside := slices.ContainsFunc(unprotected[:], func(p [2]int) bool { return p[0] <= at && at < p[1] })
			check.That(t, noticed || inside, "%s, octet %d: %s", part, at, answer)
			if !noticed {
				missed++
			}
		}
		check.That(t, missed > 0, "%s: each octet is noticed, and the specification says otherwise", part)
	}
}
