//go:build linux

package bench

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/harness/worst"
	"github.com/svc-edge/svc-verify/internal/must"
)

// BenchmarkHard examines inputs that are hard to examine for their size. Its costs are for each
// MiB of the input, without the costs of an empty one.
func BenchmarkHard(b *testing.B) {
	inputs := map[string]worst.Case{}
	for name, text := range worst.Texts(*hard) {
		inputs["text: "+name] = worst.Case{"a.ndjson": []byte(text)}
	}
	for name, files := range worst.Cases(max(1, *hard/10)) {
		inputs["case: "+name] = files
	}
	least, _ := examineHard(b, worst.Case{"a.ndjson": []byte("\n")})
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		b.Run(name, func(b *testing.B) {
			used, size := examineHard(b, inputs[name])
			for stage, u := range used {
				mib, base := float64(size)/(1<<20), least[stage]
				b.ReportMetric(max(0, (u.CPU-base.CPU).Seconds()/mib), stage+"-s/MiB")
				b.ReportMetric(max(0, float64(u.Peak-base.Peak)/1024/mib), stage+"-MiB/MiB")
			}
		})
	}
}

// examineHard examines an input by each command. None may verify it, or fail.
func examineHard(b *testing.B, files worst.Case) (used map[string]usage, size int) {
	b.Helper()
	dir := must.Get(os.MkdirTemp(scratch, "hard-"))(b)
	defer os.RemoveAll(dir)
	folder, trustFile := filepath.Join(dir, "evidence"), filepath.Join(dir, "trust.json")
	database := filepath.Join(dir, "case.db")
	must.Do(b, os.WriteFile(trustFile, worst.Trust(), 0o600))
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		path := filepath.Join(folder, filepath.FromSlash(name))
		must.Do(b, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, files[name], 0o600))
		size += len(files[name])
	}
	used = map[string]usage{}
	answers := []int{0, 1, 3}
	for _, c := range []struct {
		stage string
		call
	}{
		{"ingest", call{args: []string{"ingest", database, folder}, exit: answers}},
		{"walk", call{args: []string{"walk", database, "--trust", trustFile}, exit: answers}},
		{"report", call{args: []string{"report", database, "--trust", trustFile, "--output", "html"}}},
		{"proof", call{exit: answers[1:],
			args: []string{"--trust", trustFile, "--evidence", filepath.Join(folder, filepath.FromSlash(names[0]))}}},
	} {
		_, used[c.stage] = c.run(b)
	}
	return used, size
}
