package delivery

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// AnyChanged reports whether some file is no longer the same as when it was read. A comparison that
// was kept is then out of date.
func AnyChanged(found []finding.Finding) bool {
	return slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Code == finding.SourceChanged })
}

// changed asks of files whose path was given twice, with other content, whether one is the
// beginning of the other.
func (x *examiner) changed(ctx context.Context) error {
	given, err := x.r.Paths(ctx)
	if err != nil {
		return err
	}
	bySource := map[int64]facts.Source{}
	for _, s := range x.sources {
		bySource[s.Number] = s
	}
	paths := map[int64]int{} // how many different ones a source has
	for _, g := range given {
		paths[g.Source]++
	}
	l := few{x: x, code: finding.SourceChanged}
	for i, g := range given {
		s := bySource[g.Source]
		found := ""
		if g.Absolute != "" && s.Complete && i+1 < len(given) && given[i+1].Absolute == g.Absolute &&
			given[i+1].Source != g.Source && paths[g.Source] == 1 && paths[given[i+1].Source] == 1 {
			found = replacedPath(ctx, s, bySource[given[i+1].Source], g.Absolute)
		}
		if found == "" {
			continue
		}
		f := finding.Finding{Expected: fmt.Sprintf("%d bytes of SHA-256 %s", s.Size, s.SHA256), Found: found,
			Evidence: []finding.Evidence{{Source: g.Path, Length: s.Size}}}
		if err := l.addFinding(ctx, f); err != nil {
			return err
		}
	}
	l.countUnlisted()
	return ctx.Err()
}

// replacedPath reports that one path had two contents, neither the beginning of the other. It
// reports nothing for a file that only grew.
func replacedPath(ctx context.Context, a, b facts.Source, path string) string {
	if a.Size > b.Size {
		a, b = b, a
	}
	if sum, ok := hashStart(ctx, path, b.Size); ok && sum == b.SHA256 {
		if sum, ok := hashStart(ctx, path, a.Size); ok && sum == a.SHA256 {
			return ""
		}
	}
	return fmt.Sprintf("under the same path %d bytes of SHA-256 %s as well", b.Size, b.SHA256)
}

// hashStart hashes the beginning of a regular file.
func hashStart(ctx context.Context, path string, size int64) (sum chain.Hash, ok bool) {
	f, have, err := evidence.OpenSource(path)
	if err != nil {
		return sum, false
	}
	defer f.Close()
	if have < size {
		return sum, false
	}
	h := sha256.New()
	for left := size; left > 0 && ctx.Err() == nil; {
		n, err := io.CopyN(h, f, min(left, 64<<20))
		if left -= n; err != nil {
			return sum, false
		}
	}
	return chain.Hash(h.Sum(nil)), ctx.Err() == nil
}
