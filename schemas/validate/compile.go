package validate

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/svc-edge/svc-verify/schemas"
)

// compiled holds the schema of every document, ready for use by any number of
// goroutines. It is made at the first use.
var compiled = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	c := newCompiler()
	all := map[string]*jsonschema.Schema{}
	for _, name := range schemas.Names() {
		s, err := c.Compile(schemas.ID(name))
		if err != nil {
			return nil, fmt.Errorf("validate: %w", err)
		}
		all[name] = s
	}
	return all, nil
})

func newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true // the formats of times: a pattern cannot tell 30 February
	c.LoadURL = load
	return c
}

// load serves the embedded schemas by their ids and refuses every other
// address. The library's own loader would read local files.
func load(url string) (io.ReadCloser, error) {
	text, err := schemas.ByID(url)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}
