package delivery

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
)

// Journal is a source, or a file in an archive, that counts as a log's own
// journal: written by the owner of the log, not kept by a store.
type Journal struct {
	Container int64  `json:"container"` // as in [evidence.Reader]
	Source    int64  `json:"source"`
	TenantID  string `json:"tenant_id"`
	LogID     string `json:"log_id"`
}

// othersIn is how many of the events of a journal are of other logs at most, as
// one in so many: a line that strayed into a journal makes it no store.
const othersIn = 10

// JournalOf decides whether a container is a log's own journal (SPEC 13.6), by its
// format and by how many events of each log it contains, and never by its name. It
// returns the log.
func JournalOf(format string, events map[facts.Log]int64) (log facts.Log, ok bool) {
	all, most := int64(0), int64(0)
	for l, n := range events {
		if all += n; n > most {
			log, most = l, n
		}
	}
	return log, format == string(read.Journal) && most > 0 && (all-most)*othersIn <= all
}

// holdings count the events that each container holds of each log, by number. Of
// copies of one event in one container one counts.
type holdings map[int64]map[facts.Log]int64

// addArrivals adds the arrivals of one sequence, or of so many alike.
func (h holdings) addArrivals(log facts.Log, same []evidence.Arrived, sequences int64) {
	for i := range same {
		in := same[i].Container
		if i > 0 && same[i-1].Container == in { // the arrivals in one container stand together
			continue
		}
		if h[in] == nil {
			h[in] = map[facts.Log]int64{}
		}
		h[in][log] += sequences
	}
}

// journals returns the journals among the containers, in the order of logs and
// containers.
func (x *examiner) journals(ctx context.Context) error {
	containers, err := x.r.Containers(ctx)
	for _, c := range containers {
		if log, ok := JournalOf(c.Format, x.held[c.Container]); ok {
			x.own = append(x.own, Journal{c.Container, c.Source, log.TenantID, log.LogID})
		}
	}
	slices.SortFunc(x.own, func(a, b Journal) int {
		return cmp.Or(strings.Compare(a.TenantID, b.TenantID), strings.Compare(a.LogID, b.LogID),
			cmp.Compare(a.Container, b.Container))
	})
	return err
}
