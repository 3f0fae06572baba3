package delivery

import (
	"bytes"
	"context"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/evidence"
)

// Empty returns the files that contain nothing but white space, under
// every path that they were given under. All files of no bytes are one source.
func Empty(ctx context.Context, r evidence.Reader) ([]finding.Evidence, error) {
	sources, err := r.Sources(ctx)
	if err != nil {
		return nil, err
	}
	paths := map[int64][]string{}
	for _, source := range sources {
		paths[source.Number] = source.Paths
	}
	var all []finding.Evidence
	for skip, err := range r.Skips(ctx) {
		if err != nil {
			return nil, err
		}
		if skip.Code == string(finding.SourceNoRecord) && len(bytes.TrimSpace(skip.Excerpt)) == 0 {
			for _, path := range paths[skip.Source] {
				all = append(all, finding.Evidence{Source: path, Container: skip.Container})
			}
		}
	}
	return all, nil
}
