package messy

import (
	"bytes"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/fleet"
)

// Alteration is something that an examination must not let pass.
type Alteration struct {
	Name string
	File string // in which it was done
	Log  string // the log that it is about, "" for several
}

// Alterations are the names of what [Altered] can do.
var Alterations = []string{"an octet of an event", "an event removed from a journal", "an event removed from a store",
	"events of a range removed from a journal"}

// searchedStore is the store that every altered collection has: it holds what is removed
// from a journal, and loses what is removed from it.
const searchedStore = "stores/loki/query.jsonl"

// Altered makes a collection like that of [Make], after something was done to the
// evidence that it is made of.
func Altered(e *fleet.Evidence, alteration string, seed uint64) (*Collection, Alteration, error) {
	c, err := begin(e, seed)
	if err != nil {
		return nil, Alteration{}, err
	}
	if c.Files[searchedStore], err = e.Content(searchedStore); err != nil {
		return nil, Alteration{}, err
	}
	a := c.alter(alteration)
	for range c.draw.Below(3) {
		if next := acts[c.draw.Below(len(acts))]; next.name != earlierStore { // it can end before what was removed
			c.play(next)
		}
	}
	return c, a, nil
}

func (c *Collection) alter(name string) Alteration {
	draw := chance.New(c.Seed).Stream(name)
	journals := slices.DeleteFunc(c.logs(), func(l string) bool { return !strings.HasPrefix(l, "journals/") })
	file := journals[draw.Below(len(journals))]
	log := "node/" + strings.TrimSuffix(strings.TrimPrefix(file, "journals/"), ".ndjson")
	lines := linesOf(c.Files[file])
	n := 1
	if strings.HasPrefix(name, "events of a range") {
		n = 2 + draw.Below(len(lines)/8)
	}
	at := len(lines)/4 + draw.Below(len(lines)/4)
	switch name {
	case "an octet of an event":
		lines[at] = bytes.Replace(lines[at], []byte(`"occurred_at":"2`), []byte(`"occurred_at":"3`), 1)
	case "an event removed from a store":
		hash := append([]byte(`,\"hash\":\"`), hashOf(lines[at])...) // a retry has it as well
		file, log, lines = searchedStore, "", slices.DeleteFunc(linesOf(c.Files[searchedStore]),
			func(l []byte) bool { return bytes.Contains(l, hash) })
	default:
		lines = slices.Delete(lines, at, at+n)
	}
	c.Files[file] = joined(lines...)
	return Alteration{name, file, log}
}

// hashOf returns the hash that is written in a line of a journal.
func hashOf(line []byte) []byte {
	const name, digits = `,"hash":"`, 64
	at := bytes.LastIndex(line, []byte(name)) + len(name)
	return line[at : at+digits]
}
