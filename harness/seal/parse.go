package seal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maximumDepth is how deep objects and lists nest, SPEC 1.1.
const maximumDepth = 32

// Parse reads a document, an object, SPEC 1.1 to 1.4. It is stricter in one point: no text may
// contain U+FFFD, which the decoder substitutes for invalid text. The caller bounds the
// length.
func Parse(b []byte) (Object, error) {
	if !utf8.Valid(b) {
		return nil, fmt.Errorf("expected UTF-8")
	}
	p := parser{json.NewDecoder(bytes.NewReader(b))}
	p.UseNumber()
	value, err := p.value(1)
	if err != nil {
		return nil, fmt.Errorf("at byte %d: %w", p.InputOffset(), err)
	}
	if _, err := p.Token(); err != io.EOF {
		return nil, fmt.Errorf("at byte %d: expected nothing behind the document", p.InputOffset())
	}
	object, ok := value.(Object)
	if !ok {
		return nil, fmt.Errorf("expected an object")
	}
	return object, nil
}

type parser struct{ *json.Decoder }

func (p parser) value(level int) (any, error) {
	token, err := p.Token()
	if err == io.EOF {
		return nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		if level > maximumDepth {
			return nil, fmt.Errorf("expected at most %d levels", maximumDepth)
		}
		if v == '{' {
			return p.readObject(level)
		}
		return p.readList(level)
	case string:
		return v, checkText(v)
	case bool:
		return v, nil
	case json.Number:
		return readInteger(string(v))
	}
	return nil, fmt.Errorf("found null")
}

func (p parser) readObject(level int) (Object, error) {
	o := Object{}
	for p.More() {
		token, err := p.Token()
		if err != nil {
			return nil, err
		}
		name, ok := token.(string)
		if !ok {
			return nil, fmt.Errorf("expected a name")
		}
		if err := checkText(name); err != nil {
			return nil, err
		}
		if _, twice := o[name]; twice {
			return nil, fmt.Errorf("the name %q stands twice", name)
		}
		if o[name], err = p.value(level + 1); err != nil {
			return nil, err
		}
	}
	_, err := p.Token()
	return o, err
}

func (p parser) readList(level int) ([]any, error) {
	list := []any{}
	for p.More() {
		element, err := p.value(level + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, element)
	}
	_, err := p.Token()
	return list, err
}

// checkText refuses noncharacters, SPEC 1.1, and U+FFFD.
func checkText(s string) error {
	refused := func(r rune) bool {
		return r == utf8.RuneError || r >= 0xfdd0 && r <= 0xfdef || r&0xfffe == 0xfffe
	}
	if strings.IndexFunc(s, refused) >= 0 {
		return fmt.Errorf("found text that is no text, or a noncharacter")
	}
	return nil
}

// readInteger reads a number, SPEC 1.4.
func readInteger(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != text || n > largestInteger || n < -largestInteger {
		return 0, fmt.Errorf("expected an integer of at most 2^53-1, found %.40q", text)
	}
	return n, nil
}
