package conclude_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	conclusion "github.com/svc-edge/svc-verify/forensics/conclude"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// opened returns the part of a document.
func opened(t *testing.T, doc []byte) *part.File {
	t.Helper()
	return must.Get(part.Open(t.Context(), bytes.NewReader(doc), int64(len(doc)), nil))(t)
}

// joiner joins parts at random.
type joiner struct {
	*testing.T
	*rand.Rand
}

// group is parts that were joined, and those among them that are given once more. Only
// the group that holds a part may be given it again: joined with other neighbours, it
// would overlap with the group in part.
type group struct {
	atom
	again []atom
}

// join joins parts in random groups and in a random order.
func (j *joiner) join(atoms []atom) atom {
	var open []group
	for _, a := range atoms {
		open = append(open, group{atom: a})
	}
	for len(open) > 1 || len(open[0].again) > 0 {
		j.Shuffle(len(open), func(a, b int) { open[a], open[b] = open[b], open[a] })
		n := min(1+j.IntN(6), len(open))
		open = append(slices.Clone(open[n:]), j.group(open[:n]))
	}
	return open[0].atom
}

func (j *joiner) group(groups []group) (g group) {
	var given []atom
	for _, one := range groups {
		given = append(given, one.atom)
		for _, a := range one.again {
			if j.IntN(2) == 0 {
				given = append(given, a)
			} else {
				g.again = append(g.again, a)
			}
		}
		if j.IntN(8) == 0 {
			g.again = append(g.again, one.atom)
		}
	}
	j.Shuffle(len(given), func(a, b int) { given[a], given[b] = given[b], given[a] })
	g.atom = merged(j.T, given)
	return g
}

// merged merges parts.
func merged(t *testing.T, atoms []atom) atom {
	t.Helper()
	var all []*part.File
	var names []string
	for _, a := range atoms {
		all, names = append(all, opened(t, document(t, a.Content))), append(names, a.name)
	}
	name := "(" + strings.Join(names, " ") + ")"
	c, err := part.Merge(all...)
	must.OK(t, err, "%s", name)
	return atom{c, name}
}

// document is a part as a file.
func document(t *testing.T, c part.Content) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Get(part.Write(t.Context(), &b, c, nil))(t)
	return b.Bytes()
}

// conclude returns the conclusion from a part of a division.
func conclude(t *testing.T, c part.Content, of division, l *laid) *verdict.Result {
	t.Helper()
	result := must.Get(conclusion.Conclude(t.Context(), c, l.root, conclusion.Options{Examine: l.asked, Proven: true,
		Plan: of.Plan, Digest: of.digest}))(t)
	if of.Plan == nil {
		must.That(t, len(result.Assumed) == 1 && result.Assumed[0].What == verdict.Input,
			"without a plan, %v is taken as given", result.Assumed)
		result.Assumed = nil
	}
	return result
}

// lose joins the parts of a plan without some of them. The conclusion names exactly the
// evidence that these had to read.
func (j *joiner) lose(d division, l *laid, want []byte) {
	j.Helper()
	var kept []atom
	var lost []string
	for i, a := range d.atoms {
		if j.IntN(len(d.atoms)) > 1 || i == len(d.atoms)-1 && len(kept) == 0 {
			kept = append(kept, a)
			continue
		}
		for _, piece := range d.Share(i) {
			text := fmt.Sprintf("share %d: %s", i, safetext.PathText(piece.Names[0].Given))
			if piece.From > 0 || piece.To < piece.Size {
				text += fmt.Sprintf(", octets %d to %d of %d", piece.From, piece.To, piece.Size)
			}
			lost = append(lost, text)
		}
		if i == 0 {
			for _, u := range d.Unread {
				lost = append(lost, fmt.Sprintf("share 0: %s, which is not read", safetext.PathText(u.Path)))
			}
		}
	}
	joined := j.join(kept)
	got := conclude(j.T, joined, d, l)
	if len(lost) == 0 {
		if !bytes.Equal(written(j.T, got), want) {
			j.Fatalf("%s, without parts that are empty: %s", joined.name, difference(want, written(j.T, got)))
		}
		return
	}
	var named []string
	for _, left := range got.LeftOut {
		if left.What == verdict.Shares {
			named = append(named, left.Items...)
		}
	}
	slices.Sort(named)
	slices.Sort(lost)
	must.That(j, got.Verdict == verify.Inconclusive && slices.Equal(named, lost),
		"%s: the verdict is %s without\n%q, and named are\n%q", joined.name, got.Verdict, lost, named)
}

// difference is where two texts begin to differ.
func difference(want, got []byte) string {
	a, b := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	around := func(lines []string) string {
		return strings.Join(lines[max(0, min(n-6, len(lines))):min(n+8, len(lines))], "\n")
	}
	return fmt.Sprintf("line %d, want\n%s\ngot\n%s", n+1, around(a), around(b))
}
