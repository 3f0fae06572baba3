package schemas

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// compiler compiles each schema when it is first needed. All of them take a tenth of a
// second, and a command needs one or two.
var compiler = struct {
	sync.Mutex
	library *jsonschema.Compiler
	done    map[string]*jsonschema.Schema
}{library: newCompiler(), done: map[string]*jsonschema.Schema{}}

// compiledSchema returns the schema of a document, which any number of goroutines may use.
func compiledSchema(name string) (*jsonschema.Schema, error) {
	compiler.Lock()
	defer compiler.Unlock()
	if s := compiler.done[name]; s != nil {
		return s, nil
	}
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("validate: there is no schema for a document %q", name)
	}
	s, err := compiler.library.Compile(ID(name))
	if err != nil {
		return nil, fmt.Errorf("validate: %w", err)
	}
	compiler.done[name] = s
	return s, nil
}

func newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true // the formats of times: a pattern cannot tell 30 February
	c.LoadURL = loadSchema
	return c
}

// loadSchema serves the embedded schemas by their ids and refuses every other
// address. The library's own loader would read local files.
func loadSchema(url string) (io.ReadCloser, error) {
	text, err := ByID(url)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}
