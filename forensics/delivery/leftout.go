package delivery

import (
	"context"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// LeftOut returns the files that the user left out by name: the paths below which there are such
// files, and the sources with such members, each with a detail that counts them.
func LeftOut(ctx context.Context, r evidence.Reader) (all []facts.Unread, err error) {
	paths, err := r.Unread(ctx)
	if err != nil {
		return nil, err
	}
	for _, u := range paths {
		if u.Code == string(finding.SourceLeftOut) {
			all = append(all, u)
		}
	}
	members := map[int64]int64{}
	for skip, err := range r.Skips(ctx) {
		if err != nil {
			return nil, err
		}
		if skip.Code == string(finding.SourceLeftOut) {
			members[skip.Source] += skip.Spans
		}
	}
	sources, err := r.Sources(ctx)
	for _, s := range sources {
		if n := members[s.Number]; n > 0 {
			all = append(all, facts.Unread{Path: NameOf(s), Code: string(finding.SourceLeftOut),
				Detail: safetext.Count(n, "member")})
		}
	}
	return all, err
}
