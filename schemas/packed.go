package schemas

import (
	_ "embed" // the schemas
	"encoding/json"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// packed is all schemas as one compressed JSON object, without white space.
//
//go:generate go test . -run TestPacked -update
//go:embed schemas.json.zst
var packed []byte

// files returns all schemas by their names. They are unpacked at the first use.
var files = sync.OnceValue(func() map[string]json.RawMessage {
	all, err := unpackFiles(packed)
	if err != nil {
		panic(err) // cannot be: TestPacked unpacks the same bytes
	}
	return all
})

// documents returns the name of the schema of each document. Documents of one family share a
// schema: its member "schema" lists their forms, and decides about the other members.
var documents = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for file, text := range files() {
		var s struct {
			Properties struct{ Schema struct{ Enum []string } }
		}
		if json.Unmarshal(text, &s) != nil || len(s.Properties.Schema.Enum) == 0 && file != shared {
			all[file] = file
		}
		for _, form := range s.Properties.Schema.Enum {
			all[strings.Split(form, "/")[1]] = file
		}
	}
	return all
})

// unpackFiles returns the members of a compressed JSON object.
func unpackFiles(archive []byte) (all map[string]json.RawMessage, err error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	doc, err := z.DecodeAll(archive, nil)
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(doc, &all)
}
