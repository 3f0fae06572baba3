package schemas

import (
	_ "embed" // the schemas
	"encoding/json"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// packed is all schemas as one compressed JSON object.
//
//go:generate go test . -run TestPacked -update
//go:embed schemas.json.zst
var packed []byte

// files returns the texts of all schemas by their names. They are unpacked at the first use.
var files = sync.OnceValue(func() map[string]string {
	texts, err := unpackTexts(packed)
	if err != nil {
		panic(err) // cannot be: TestPacked unpacks the same bytes
	}
	return texts
})

// unpackTexts returns the texts of a compressed JSON object by their names.
func unpackTexts(archive []byte) (texts map[string]string, err error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	doc, err := z.DecodeAll(archive, nil)
	if err != nil {
		return nil, err
	}
	return texts, json.Unmarshal(doc, &texts)
}
