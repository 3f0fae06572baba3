package conclude

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/tasks"
)

// held is a content that has nothing but shares.
type held struct {
	part.Content
	shares []part.Share
	unread []facts.Unread
}

func (h held) Shares() []part.Share   { return h.shares }
func (h held) Unread() []facts.Unread { return h.unread }

func hash(b byte) chain.Hash { return chain.Hash{b} }

// planned is a plan of four shares: a source in three ranges, two whole ones, a path that
// is not read, and an empty share.
var planned = &plan.Plan{Shares: 4, Sources: []plan.Source{
	{SHA256: hash(1), Size: 30, Names: []ingest.Name{{Given: "a"}}, Ranges: []plan.Range{{Share: 0, From: 0, To: 10},
		{Share: 1, From: 10, To: 20}, {Share: 2, From: 20, To: 30}}},
	{SHA256: hash(2), Size: 5, Names: []ingest.Name{{Given: "b\n"}}, Ranges: []plan.Range{{Share: 1, From: 0, To: 5}}},
	{SHA256: hash(3), Names: []ingest.Name{{Given: "empty"}}, Ranges: []plan.Range{{Share: 2}}},
}, Unread: []facts.Unread{{Path: "link", Code: "source.not-evidence", Detail: "d"}}}

func of1(from, to int64) part.Share {
	return part.Share{Source: hash(1), Size: 30, Range: part.Range{From: from, To: to}, Complete: true}
}

var (
	second = part.Share{Source: hash(2), Size: 5, Range: part.Range{To: 5}, Complete: true}
	empty  = part.Share{Source: hash(3), Complete: true}
	link   = []facts.Unread{{Path: "link", Code: "source.not-evidence", Detail: "d"}}
)

// Content that no part holds is named by share, file and range.
func TestMissing(t *testing.T) {
	for name, c := range map[string]struct {
		held
		want []string
	}{
		"nothing is missing":    {held{shares: []part.Share{of1(0, 30), second, empty}, unread: link}, nil},
		"ranges that are apart": {held{shares: []part.Share{of1(0, 10), of1(10, 30), second, empty}, unread: link}, nil},
		"another path not read": {held{shares: []part.Share{of1(0, 30), second, empty},
			unread: append(link, facts.Unread{Path: "x"})}, nil},
		"the first share": {held{shares: []part.Share{of1(10, 30), second, empty}},
			[]string{"share 0: a, octets 0 to 10 of 30", "share 0: link, which is not read"}},
		"the second share": {held{shares: []part.Share{of1(0, 10), of1(20, 30), empty}, unread: link},
			[]string{"share 1: a, octets 10 to 20 of 30", "share 1: b%0A"}},
		"the last share": {held{shares: []part.Share{of1(0, 20), second}, unread: link},
			[]string{"share 2: a, octets 20 to 30 of 30", "share 2: empty"}},
		"a path that is not read": {held{shares: []part.Share{of1(0, 30), second, empty}},
			[]string{"share 0: link, which is not read"}},
		"another reason": {held{shares: []part.Share{of1(0, 30), second, empty},
			unread: []facts.Unread{{Path: "link", Code: "source.not-evidence", Detail: "e"}}},
			[]string{"share 0: link, which is not read"}},
		"everything": {held{}, []string{"share 0: a, octets 0 to 10 of 30", "share 0: link, which is not read",
			"share 1: a, octets 10 to 20 of 30", "share 1: b%0A", "share 2: a, octets 20 to 30 of 30", "share 2: empty"}},
	} {
		lost, err := missingShares(planned, c.held)
		check.That(t, err == nil, "%s: %v", name, err)
		var got []string
		for i := range lost {
			got = append(got, lost[i].Text()...)
		}
		check.That(t, slices.Equal(got, c.want), "%s: %q, expected %q", name, got, c.want)
	}
}

// Parts with content outside their plan are refused.
func TestForeign(t *testing.T) {
	other, longer, part1 := second, second, second
	other.Source = hash(9)
	longer.Size = 6
	part1.Complete = false
	for name, s := range map[string]part.Share{"another source": other, "another size": longer, "not to its end": part1,
		"another beginning": of1(1, 10), "another end": of1(0, 11)} {
		_, err := missingShares(planned, held{shares: []part.Share{s}})
		var foreign *Foreign
		check.That(t, errors.As(err, &foreign) && strings.Contains(err.Error(), "which the plan does not have so"),
			"%s: %v", name, err)
	}
}

// A fault of the program while a part is opened is an error about its file.
func TestFaultOfPart(t *testing.T) {
	p := &Parts{paths: []string{"a", "b"}} // without room for files
	err := p.openAll(t.Context(), nil, nil)
	check.That(t, errors.As(err, new(*tasks.Panic)), "%v", err)
}
