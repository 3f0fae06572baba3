package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
)

// ofSignatures are the signatures of an entry of a history.
var ofSignatures = regexp.MustCompile(`"signatures":\{[^{}]*\}`)

// forPeople are the elements of PREMIS whose texts nothing protects.
var forPeople = []string{"formatName", "eventDetail", "eventOutcomeDetailNote"}

// protectedXML returns the elements, attributes and texts of a document that are protected, one a line; "" for a
// document that is not well formed.
func protectedXML(content []byte) []byte {
	var out bytes.Buffer
	name := ""
	for d := xml.NewDecoder(bytes.NewReader(content)); ; {
		token, err := d.Token()
		switch t := token.(type) {
		case xml.StartElement:
			t.Attr = slices.DeleteFunc(t.Attr, func(a xml.Attr) bool {
				return a.Name.Space == "xmlns" || a.Name == xml.Name{Local: "xmlns"}
			})
			slices.SortFunc(t.Attr, func(a, b xml.Attr) int {
				return strings.Compare(a.Name.Space+a.Name.Local, b.Name.Space+b.Name.Local)
			})
			name = t.Name.Local
			fmt.Fprintf(&out, "%q\n", t)
		case xml.EndElement:
			fmt.Fprintf(&out, "%q\n", t)
		case xml.CharData:
			if text := bytes.TrimSpace(t); len(text) > 0 && !slices.Contains(forPeople, name) {
				fmt.Fprintf(&out, "%q\n", text)
			}
		}
		if errors.Is(err, io.EOF) {
			return out.Bytes()
		}
		if err != nil {
			return nil
		}
	}
}

// protectedPart returns a part of a bag without the pieces that nothing protects.
func protectedPart(t testing.TB, part string, content []byte) []byte {
	t.Helper()
	switch {
	case part == bagPremis:
		return protectedXML(content)
	case part == bagHistory:
		entries := bytes.SplitAfter(content, []byte("\n"))
		return ofSignatures.ReplaceAll(bytes.Join(entries[:max(0, len(entries)-2)], nil), nil)
	case strings.HasSuffix(part, ".er"):
		certificates, behind := derElement(t, content, newestToken(3)...)
		signer, end := derElement(t, content, newestToken(-1)...)
		return slices.Concat(content[:certificates], content[behind:signer], content[end:])
	}
	return content
}

// FuzzBag edits a part of a bag whose manifests fit. An edit of anything that is protected is noticed.
func FuzzBag(f *testing.F) {
	whole := wholeBag(f)
	parts := whole()
	maps.DeleteFunc(parts, func(part string, _ []byte) bool { return !strings.HasPrefix(part, "svc-verify/") })
	names := slices.Sorted(maps.Keys(parts))
	isNoticed := noticing(whole)
	for i := range names {
		f.Add(uint8(i), uint16(1000*i), uint8(1), []byte("7"))
	}
	f.Fuzz(func(t *testing.T, which uint8, at uint16, left uint8, put []byte) {
		part := names[int(which)%len(names)]
		content := parts[part]
		from := int(at) % (len(content) + 1)
		to := min(len(content), from+int(left))
		edited := slices.Concat(content[:from], put, content[to:])
		if noticed, answer := isNoticed(t, partEdit{part, "", edited, false}); !noticed {
			same := bytes.Equal(protectedPart(t, part, edited), protectedPart(t, part, content))
			check.That(t, same, "%s, %q at %d instead of %q: %s", part, put, from, content[from:to], answer)
		}
	})
}
