package ijson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/must"
)

// checkDocument holds Parse, Canonical and IsCanonical to everything that must
// be true of any bytes. The property tests and the fuzz targets share it.
func checkDocument(doc []byte) error {
	v, fault := Parse(doc)
	if accepts := fault == nil; accepts != referenceAccepts(doc) {
		return fmt.Errorf("Parse: %w, but the reference accepts: %v", fault, !accepts)
	}
	if got, want := IsCanonical(doc), referenceIsCanonical(doc); got != want {
		return fmt.Errorf("IsCanonical = %v, want %v", got, want)
	}
	if fault != nil {
		return checkFault(doc, fault)
	}
	if err := checkCanonical(doc, v); err != nil {
		return err
	}
	var err error
	walk(v, func(u *Value) {
		if err == nil {
			err = checkValue(doc, v, u)
		}
	})
	return err
}

var codes = []string{
	CodeEmpty, CodeSyntax, CodeTooLarge, CodeAmbiguous, CodeInvalidUTF8, CodeTrailingData,
}

// checkFault checks the properties that the fault of any document must have.
func checkFault(doc []byte, fault *Fault) error {
	sentence := fault.Error()
	switch {
	case !slices.Contains(codes, fault.Code):
		return fmt.Errorf("unknown code %q", fault.Code)
	case fault.Offset < 0 || fault.Offset > len(doc):
		return fmt.Errorf("offset %d in a document of %d bytes", fault.Offset, len(doc))
	case fault.Path != "" && !strings.HasPrefix(fault.Path, "/"):
		return fmt.Errorf("pointer %q", fault.Path)
	case fault.Expected == "" || fault.Found == "":
		return fmt.Errorf("incomplete: %s", sentence)
	case strings.ContainsFunc(sentence, func(r rune) bool { return r < ' ' || r > '~' }):
		return fmt.Errorf("not printable: %q", sentence)
	case len(sentence) > 1000:
		return fmt.Errorf("%d bytes long: %s", len(sentence), sentence)
	}
	return nil
}

// checkCanonical checks the canonical form of an accepted document.
func checkCanonical(doc []byte, v *Value) error {
	canonical, fault := Canonical(doc)
	if fault != nil {
		return fmt.Errorf("Canonical refuses: %w", fault)
	}
	again, fault := Canonical(canonical)
	library, err := jcs.Transform(doc)
	switch {
	case err != nil || !bytes.Equal(canonical, library):
		return fmt.Errorf("Canonical gives %q, Transform %q, %w", canonical, library, err)
	case !bytes.Equal(v.Canonical(), canonical):
		return fmt.Errorf("Value.Canonical gives %q, Canonical %q", v.Canonical(), canonical)
	case fault != nil || !bytes.Equal(again, canonical):
		return fmt.Errorf("canonical form %q has the canonical form %q, %w", canonical, again, fault)
	case !IsCanonical(canonical):
		return fmt.Errorf("canonical form %q is not recognised", canonical)
	case IsCanonical(doc) != bytes.Equal(doc, canonical):
		return fmt.Errorf("IsCanonical = %v, but the canonical form is %q", IsCanonical(doc), canonical)
	}
	// Not cmp.Diff, whose time doubles with every level of nesting.
	if !reflect.DeepEqual(decode(doc), decode(canonical)) {
		return fmt.Errorf("canonical form %q says something else", canonical)
	}
	return nil
}

// decode reads a document with the standard library.
func decode(doc []byte) any {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return err.Error()
	}
	return value
}

// checkValue checks one value of an accepted document.
func checkValue(doc []byte, root, v *Value) error {
	raw := v.Raw()
	if !bytes.HasPrefix(doc[v.Offset():], raw) {
		return fmt.Errorf("%q does not stand at %d", raw, v.Offset())
	}
	if found := referenceFind(root, v.Pointer()); found != v {
		return fmt.Errorf("pointer %q does not lead to %q", v.Pointer(), raw)
	}
	alone, fault := Parse(raw)
	if fault != nil || alone.Kind() != v.Kind() || alone.Depth() != v.Depth() {
		return fmt.Errorf("%q is something else alone: %w", raw, fault)
	}
	want := decode(raw)
	var got any
	switch v.Kind() {
	case String:
		got = v.Text()
	case Number:
		got = json.Number(fmt.Sprint(v.Int()))
	case Bool:
		got = v.Bool()
	default:
		return nil
	}
	if got != want {
		return fmt.Errorf("%q is read as %#v, want %#v", raw, got, want)
	}
	return nil
}

// strings with and without their quotes, numbers and literals that documents
// are made from: half of them near the edge of some rule.
var (
	texts = []string{
		``, `a`, `b`, `ab`, `abcdefgh`, `abcdefghi`, `A`, `\u0061`, `\n`, `\u000a`, `\u001f`, `\u001F`, `\/`, `\"`, `\\`,
		`a/b~c`,
		`é`, `\u00e9`, "\x7f", "\ue000", "\U00010000", `\ud800\udc00`, "\ufffd", "\ufffe", `\ufdd0`, `\ud83f\udfff`,
		`\ud800`, "\xff", "\t",
	}
	scalars = []string{
		`0`, `1`, `-1`, `10`, `9007199254740991`, `-9007199254740991`, `true`, `false`,
		`9007199254740992`, `-0`, `01`, `1.0`, `1e2`, `null`, `-`, `tru`,
	}
)

// documents draws documents of the grammar, most of them acceptable.
func documents(depth int) *rapid.Generator[string] {
	// Texts and scalars are drawn mostly from their harmless first part.
	text := rapid.OneOf(rapid.SampledFrom(texts[:23]), rapid.SampledFrom(texts[:23]), rapid.SampledFrom(texts))
	scalar := rapid.OneOf(rapid.SampledFrom(scalars[:8]), rapid.SampledFrom(scalars[:8]), rapid.SampledFrom(scalars))
	space := rapid.SampledFrom([]string{"", "", "", "", "", "", "", " ", "\n"})
	return rapid.Custom(func(t *rapid.T) string {
		var parts []string
		kind := rapid.IntRange(0, 3).Draw(t, "kind")
		switch {
		case kind == 0 || depth == 0 && kind > 1:
			return space.Draw(t, "space") + scalar.Draw(t, "scalar")
		case kind == 1:
			return space.Draw(t, "space") + `"` + text.Draw(t, "text") + `"`
		case kind == 2:
			parts = rapid.SliceOfN(documents(depth-1), 0, 3).Draw(t, "elements")
			return "[" + strings.Join(parts, ",") + space.Draw(t, "space") + "]"
		}
		names := rapid.SliceOfNDistinct(text, 0, 4, rapid.ID).Draw(t, "names")
		if rapid.Bool().Draw(t, "sorted") {
			slices.Sort(names)
		}
		for _, name := range names {
			parts = append(parts, `"`+name+`":`+documents(depth-1).Draw(t, "value"))
		}
		return "{" + strings.Join(parts, ",") + "}"
	})
}

func TestDocuments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := documents(3).Draw(t, "document")
		must.OK(t, checkDocument([]byte(doc)), "%q", doc)
	})
}

// TestMutatedDocuments damages canonical and other documents by a byte or a
// piece: removed, repeated, replaced or put in.
func TestMutatedDocuments(t *testing.T) {
	pieces := slices.Concat(texts, scalars,
		[]string{`"`, `\`, `{`, `}`, `[`, `]`, `,`, `:`, ` `, `.`, `+`, "\x00", "\xef\xbb\xbf"})
	rapid.Check(t, func(t *rapid.T) {
		doc := []byte(documents(3).Draw(t, "document"))
		if canonical, fault := Canonical(doc); fault == nil {
			doc = bytes.Clone(canonical)
		}
		for range rapid.IntRange(1, 3).Draw(t, "mutations") {
			i := rapid.IntRange(0, len(doc)).Draw(t, "from")
			j := min(len(doc), i+rapid.IntRange(0, 3).Draw(t, "length"))
			piece := rapid.SampledFrom(pieces).Draw(t, "piece")
			switch rapid.IntRange(0, 2).Draw(t, "mutation") {
			case 0:
				doc = slices.Delete(doc, i, j)
			case 1:
				doc = slices.Insert(doc, i, bytes.Clone(doc[i:j])...)
			case 2:
				doc = slices.Replace(doc, i, j, []byte(piece)...)
			}
		}
		must.OK(t, checkDocument(doc), "%q", doc)
	})
}
