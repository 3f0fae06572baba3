package edge

import (
	"bytes"
	"encoding/pem"
	"fmt"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// readBlocks returns the contents of a file's PEM blocks: 1 to most of one
// type, and nothing else but white space around them. A block that is damaged
// is no other text to be passed over.
func readBlocks(name, kind string, most int) ([][]byte, error) {
	doc, err := readFile(name, maxFile)
	if err != nil {
		return nil, err
	}
	wrong := func(found string) error {
		return fmt.Errorf("%s: expected 1 to %d PEM blocks %s and nothing else, found %s", safetext.Quote(name), most,
			kind, found)
	}
	var all [][]byte
	for doc = bytes.TrimSpace(doc); len(doc) > 0; doc = bytes.TrimSpace(doc) {
		block, rest := pem.Decode(doc)
		switch read := doc[:len(doc)-len(rest)]; {
		case block == nil || !bytes.HasPrefix(doc, []byte("-----BEGIN ")) ||
			bytes.Count(read, []byte("-----BEGIN ")) != 1:
			return nil, wrong("other text or a damaged block")
		case block.Type != kind:
			return nil, wrong("a block " + safetext.Quote(block.Type))
		case len(all) == most:
			return nil, wrong("more")
		}
		all = append(all, block.Bytes)
		doc = rest
	}
	if len(all) == 0 {
		return nil, wrong("none")
	}
	return all, nil
}
