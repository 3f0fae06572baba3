package unwrap

import (
	"strings"
	"testing"
)

// TestDisclosed: an event that a broken bundle discloses is told from one that a store
// keeps in a list of objects.
func TestDisclosed(t *testing.T) {
	event := genuine(1)[0]
	const link = `{"body_sha256":"b","key_id":"k","previous_hash":"p","sequence":3,"signature":"s"}`
	for name, c := range map[string]struct {
		text      string
		disclosed bool
	}{
		"at the begin of a path":    {`{"approvals":[],"audit_path":{"links":[{"event":` + event + `},`, true},
		"behind a link":             {`b"},` + link + `,{"event":` + event + `}]`, true},
		"ahead of a link":           {`"},{"event":` + event + `},` + link, true},
		"in lines that were broken": {"\"audit_pa\nth\":{\"links\":[{\"ev\r\nent\":\n" + event + `}`, true},
		"quoted":                    {`"{\"audit_path\":{\"links\":[{\"event\":` + strings.ReplaceAll(event, `"`, `\"`) + `},"`, true},
		"in a list of a store":      {`[{"event":` + event + `},{"event":7}]`, false},
		"behind a whole path": {`{"audit_path":{"links":[` + link + `]},"manifest":{"a":1},"witness_receipts":[]}` +
			"\n" + `[{"event":` + event + `}]`, false},
		"on a line":   {event + "\n", false},
		"as a member": {`{"audit_path":{},"event":` + event + `}`, false},
	} {
		r := new(Finder).Find([]byte(c.text))
		if len(r.Matches) != 1 || r.Matches[0].Kind != Event || r.Matches[0].Disclosed != c.disclosed {
			t.Errorf("%s: %+v, want one event, disclosed %v", name, r.Matches, c.disclosed)
		}
	}
}
