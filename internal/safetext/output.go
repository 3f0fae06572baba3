package safetext

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
)

// Marshal returns the JSON of an output in printable ASCII. A list or map that is nil is
// empty, as its schema requires: no output has null in the place of one.
func Marshal(v any) ([]byte, error) { return outputFilled(json.Marshal(withLists(v))) }

// MarshalIndent is Marshal with a line for each member, each but the first behind a prefix.
func MarshalIndent(v any, prefix string) ([]byte, error) {
	return outputFilled(json.MarshalIndent(withLists(v), prefix, "  "))
}

func outputFilled(doc []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return JSON(doc), nil
}

// withLists returns a copy of a value that has an empty list in the place of each nil one.
func withLists(v any) any {
	if v == nil {
		return nil
	}
	all := reflect.New(reflect.TypeOf(v)).Elem()
	all.Set(reflect.ValueOf(v))
	fillNil(all)
	return all.Interface()
}

// fillNil makes the nil lists and maps of a value empty. It changes nothing that the value
// refers to: anything below a pointer, list or map is copied first.
func fillNil(v reflect.Value) {
	if marshalsItself(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			written := f.IsExported() || f.Anonymous && f.Type.Kind() == reflect.Struct
			if written && !strings.Contains(f.Tag.Get("json"), ",omitzero") {
				fillNil(v.Field(i))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			fillNil(v.Index(i))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 && !v.IsNil() {
			return // one text
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		for i := range own.Len() {
			fillNil(own.Index(i))
		}
		v.Set(own)
	case reflect.Map:
		own := reflect.MakeMapWithSize(v.Type(), v.Len())
		for name, element := range v.Seq2() {
			own.SetMapIndex(name, filledCopy(element))
		}
		v.Set(own)
	case reflect.Pointer:
		if !v.IsNil() {
			v.Set(filledCopy(v.Elem()).Addr())
		}
	case reflect.Interface:
		if !v.IsNil() {
			v.Set(filledCopy(v.Elem()))
		}
	}
}

// filledCopy returns a filled copy of a value.
func filledCopy(v reflect.Value) reflect.Value {
	own := reflect.New(v.Type()).Elem()
	own.Set(v)
	fillNil(own)
	return own
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// marshalsItself reports whether a type has its own form in JSON.
func marshalsItself(t reflect.Type) bool {
	for _, form := range []reflect.Type{jsonMarshaler, textMarshaler} {
		if t.Implements(form) || t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(form) {
			return true
		}
	}
	return false
}
