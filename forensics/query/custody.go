package query

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/custody"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
)

// CustodySchema names the form of [Custody] in JSON.
const CustodySchema = "svc-verify/custody/v1"

// Custody is the journal of a case, or the notes about one subject in it.
type Custody struct {
	Schema string           `json:"schema"`
	About  *custody.Subject `json:"about,omitempty"`
	custody.Journal
}

// CustodyOf returns the entries of a journal, or only the notes about a subject.
func CustodyOf(j *custody.Journal, about *custody.Subject) *Custody {
	out := &Custody{Schema: CustodySchema, About: about, Journal: *j}
	if about != nil {
		out.Entries = j.Notes(*about)
	}
	return out
}

// FindSubject finds a subject in a case by its name: an incident of a result, which may be
// nil, an event of a log of the case, whether or not it is there, a source by a path or its
// digest, or a transaction; nil if it names none of them.
func FindSubject(ctx context.Context, c *store.Case, r *verdict.Result, name string) (*custody.Subject, error) {
	if r != nil {
		for _, i := range r.Incidents {
			if i.Name == name {
				return &custody.Subject{Kind: custody.OfIncident, Name: name}, nil
			}
		}
	}
	at := strings.LastIndexByte(name, ':')
	if sequence, err := strconv.ParseInt(name[at+1:], 10, 64); at > 0 && err == nil && sequence > 0 {
		logs, err := c.Logs(ctx)
		if err != nil {
			return nil, err
		}
		for _, l := range logs {
			if l.LogID == name[:at] {
				about := custody.AboutEvent(l.LogID, uint64(sequence))
				return &about, nil
			}
		}
	}
	sources, err := c.Sources(ctx)
	for _, s := range sources {
		if digest := s.SHA256.String(); digest == strings.ToLower(name) || slices.Contains(s.Paths, name) {
			return &custody.Subject{Kind: custody.OfSource, Name: digest}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	for _, err := range c.Select(ctx, store.Filter{TransactionID: name, First: 1}) {
		return &custody.Subject{Kind: custody.OfTransaction, Name: name}, err
	}
	return nil, nil
}
