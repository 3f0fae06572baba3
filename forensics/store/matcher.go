package store

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// matcher checks copies against a filter.
type matcher struct {
	Filter
	types   map[string]bool // whether a type matches, by the types that occurred
	content [][]byte        // what to look for: the text as it is and, if that differs, as JSON writes it within a string
}

func newMatcher(f Filter) *matcher {
	m := &matcher{Filter: f, types: map[string]bool{}}
	if f.Content != "" {
		m.content = [][]byte{[]byte(f.Content)}
		if quoted, err := json.Marshal(f.Content); err == nil {
			if v, fault := ijson.Parse(quoted); fault == nil {
				canonical := v.Canonical()
				if within := canonical[1 : len(canonical)-1]; string(within) != f.Content {
					m.content = append(m.content, within)
				}
			}
		}
	}
	return m
}

// matchesHeader reports whether a copy can match by its header.
func (m *matcher) matchesHeader(c *part.Copy) bool {
	return m.During(c.OccurredAt) && (m.Type == "" || m.matchesType(c.Type))
}

// mostTypes bounds the types that are remembered: the writer of an event chooses its type.
const mostTypes = 1 << 10

// matchesType reports whether a type matches the filter's, in which "*" is for any characters.
func (m *matcher) matchesType(text string) bool {
	matches, known := m.types[text]
	if !known {
		parts := strings.Split(m.Type, "*")
		for i, p := range parts {
			parts[i] = regexp.QuoteMeta(p)
		}
		matches = regexp.MustCompile("^(?s:" + strings.Join(parts, ".*") + ")$").MatchString(text)
		if len(m.types) == mostTypes {
			clear(m.types)
		}
		m.types[text] = matches
	}
	return matches
}

// needsBody reports whether a body must be read.
func (m *matcher) needsBody() bool {
	return m.TransactionID != "" || m.content != nil || m.Where != nil
}

// matchesBody reports whether a copy matches whose header does.
func (m *matcher) matchesBody(log facts.Log, c *part.Copy, k *keptBody) (bool, error) {
	if m.TransactionID != "" && string(k.transaction) != m.TransactionID {
		return false, nil
	}
	if m.content == nil && m.Where == nil {
		return true, nil
	}
	data, err := k.data(c.Size, k.endSize(log, c))
	if err != nil || m.content != nil && !m.contains(c, k, data) {
		return false, err
	}
	return m.Where == nil || m.Where.Matches(Candidate{log, c.Sequence, c.OccurredAt, c.Type, c.KeyID, k.transaction,
		data}), nil
}

// contains reports whether a copy contains the text that is looked for.
func (m *matcher) contains(c *part.Copy, k *keptBody, data []byte) bool {
	for _, text := range m.content {
		if bytes.Contains(data, text) || bytes.Contains(k.transaction, text) || strings.Contains(c.Type, string(text)) {
			return true
		}
	}
	return false
}
