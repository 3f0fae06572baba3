//go:build linux

package bench

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

const (
	// perCheckpoint is how many transactions complete between two checkpoints.
	perCheckpoint = 10
	// perFolder is how many files a folder has.
	perFolder = 1000
	// mostDistinct is how many different files an archive has. The rest are hard links to them, so
	// that a million of them fit on a disk. They are read, hashed and listed all the same.
	mostDistinct = 10_000
	// mostOfLoop is how many bundles the shell loop goes through: it would take minutes for all.
	mostOfLoop = 500
)

// office is a tenant that issues certificates and hands out bundles: each transaction's at the
// checkpoint after it, and at so many in all.
type office struct {
	*harness.World
	exports, issued int
	live            []*cloud.Transaction // still to be exported
}

func newOffice(b *testing.B, exports int) (o *office, trustFile string) {
	b.Helper()
	o = &office{World: must.Get(harness.NewWorld(1, harness.ThreeNodes(), func(seal.Object) {}))(b), exports: exports}
	trustFile = filepath.Join(must.Get(os.MkdirTemp(scratch, "bundles-"))(b), "trust.json")
	must.Do(b, os.WriteFile(trustFile, seal.Canonical(o.Trust()), 0o600))
	return o, trustFile
}

// eachBundle gives so many different bundles to a function.
func (o *office) eachBundle(count int, do func(document []byte) error) error {
	for count > 0 {
		for range perCheckpoint {
			o.issued++
			order := harness.Order{TransactionID: fmt.Sprintf("tx-2026-%07d", o.issued), Profile: "payments-api",
				Algorithm: "ecdsa-p256", Lifetime: 7 * 24 * time.Hour, Usages: []string{"serverAuth"},
				Names: []string{fmt.Sprintf("dns:payments-%d.acme.example", o.issued)}}
			t, err := o.Issue(order, o.Nodes[o.issued%3], o.Nodes[(o.issued+1)%3])
			if err != nil {
				return err
			}
			delete(o.Keys.Workload, order.TransactionID)
			o.live = append(o.live, t)
		}
		o.live = o.live[max(0, len(o.live)-perCheckpoint*o.exports):]
		if err := o.Witness(o.Nodes[0], o.Nodes[1]); err != nil {
			return err
		}
		for _, t := range o.live[:min(count, len(o.live))] {
			document, err := o.Cloud.Export(t)
			if err := errors.Join(err, do(seal.Canonical(document))); err != nil {
				return err
			}
			count--
		}
	}
	return nil
}

// makeFiles makes files of bundles, and returns their folder.
func makeFiles(b *testing.B, distinct, exports int) (folder, trustFile string, files []string) {
	b.Helper()
	o, trustFile := newOffice(b, exports)
	folder = filepath.Join(filepath.Dir(trustFile), "files")
	for i := range *bundles {
		files = append(files, filepath.Join(folder, fmt.Sprintf("%04d", i/perFolder), fmt.Sprintf("%07d.json", i)))
		must.Do(b, os.MkdirAll(filepath.Dir(files[i]), 0o700))
	}
	made := 0
	must.Do(b, o.eachBundle(min(distinct, *bundles), func(document []byte) error {
		made++
		return os.WriteFile(files[made-1], document, 0o600)
	}))
	for i := made; i < *bundles; i++ {
		must.Do(b, os.Link(files[i%made], files[i]))
	}
	return folder, trustFile, files
}

// eachFile calls a function with every file of a folder, and demands all bundles.
func eachFile(folder string, do func(document []byte) error) error {
	found := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		found++
		document, err := os.ReadFile(path) // #nosec G304 G122 -- made here
		return errors.Join(err, do(document))
	})
	if found != *bundles {
		err = errors.Join(err, fmt.Errorf("expected %d bundles, found %d", *bundles, found))
	}
	return err
}

// verifyAll is a benchmark of svc-verify verify.
func verifyAll(b *testing.B, name, trustFile string, c call, more ...string) {
	c.args = append([]string{"verify", "--status", "any", "--trust", trustFile, "--temp-dir", scratch, "--output", "json"},
		more...)
	stage(b, name, *bundles, nil, c, func(b *testing.B, answer []byte) {
		var summary struct {
			Entries struct{ Verified int }
		}
		must.Do(b, json.Unmarshal(answer, &summary))
		must.That(b, summary.Entries.Verified == *bundles, "expected %d verified bundles, found %d", *bundles,
			summary.Entries.Verified)
	})
}

// BenchmarkBundles verifies files of bundles from one log. Its baselines verify each by itself, in
// one process or in a process each.
func BenchmarkBundles(b *testing.B) {
	folder, trustFile, files := makeFiles(b, *bundles, 1)
	root := must.Get(trust.Parse(must.Get(os.ReadFile(trustFile))(b)))(b)
	inProcess(b, "apart", *bundles, func() error {
		return eachFile(folder, func(document []byte) error {
			if r := verify.Verify(bundle.Open(document), root, verify.Policy{}); r.Verdict != verify.Verified {
				return fmt.Errorf("%s", r.Verdict)
			}
			return nil
		})
	})
	verifyAll(b, "workers-1", trustFile, call{}, "--jobs", "1", folder)
	verifyAll(b, "workers-2", trustFile, call{}, "--jobs", "2", folder)
	files = files[:min(len(files), mostOfLoop)]
	b.Run("stage=loop", func(b *testing.B) {
		var sum usage
		for range b.N {
			for _, file := range files {
				_, used := call{args: []string{"--evidence", file, "--trust", trustFile}}.run(b)
				sum.CPU, sum.Wall = sum.CPU+used.CPU, sum.Wall+used.Wall
			}
		}
		reportUsage(b, sum, len(files)*b.N)
	})
}

// BenchmarkStream verifies bundles while they are made, ten of each transaction.
func BenchmarkStream(b *testing.B) {
	o, trustFile := newOffice(b, 10)
	in, out := io.Pipe()
	disk := int64(0)
	go func() {
		made := 0
		_ = out.CloseWithError(o.eachBundle(*bundles, func(document []byte) error {
			if made++; made%1000 == 0 || made == *bundles {
				disk = max(disk, sizeOfOpenFiles(scratch))
			}
			_, err := out.Write(append(document, '\n'))
			return err
		}))
	}()
	_, used := runStream(b, call{in: in}, trustFile)
	reportUsage(b, used, *bundles)
	b.ReportMetric(float64(used.Peak)/1024, "peak-MiB")
	b.ReportMetric(float64(disk)/float64(*bundles), "disk-B/one")
}

func runStream(b *testing.B, c call, trustFile string) ([]byte, usage) {
	c.args = []string{"verify", "--status", "any", "--trust", trustFile, "--temp-dir", scratch, "-"}
	return c.run(b)
}

// sizeOfOpenFiles is the size of all files below a folder that some process has open.
func sizeOfOpenFiles(dir string) (octets int64) {
	open, _ := filepath.Glob("/proc/[0-9]*/fd/*") // the pattern is good
	for _, path := range open {
		name, _ := os.Readlink(path) // none of a process that has ended
		if info, err := os.Stat(path); err == nil && strings.HasPrefix(name, dir) {
			octets += info.Size()
		}
	}
	return octets
}

// BenchmarkArchive checks an archive of bundles. Its baselines are svc-verify verify, and a loop
// that only reads and hashes.
func BenchmarkArchive(b *testing.B) {
	folder, trustFile, _ := makeFiles(b, mostDistinct, 10)
	ledger := filepath.Join(filepath.Dir(trustFile), "ledger.db")
	inProcess(b, "naive", *bundles, func() error {
		return eachFile(folder, func(document []byte) error {
			if sha256.Sum256(document) == [sha256.Size]byte{} {
				return errors.New("a digest of zeros")
			}
			return nil
		})
	})
	verifyAll(b, "batch", trustFile, call{}, folder)
	check := call{args: []string{"archive", "check", "--ledger", ledger, "--trust", trustFile, folder}}
	stage(b, "first-check", *bundles, func() { must.Do(b, removeDatabase(ledger)) }, check, nil)
	stage(b, "unchanged", *bundles, nil, check, func(b *testing.B, _ []byte) {
		b.ReportMetric(float64(must.Get(os.Stat(ledger))(b).Size())/float64(*bundles), "ledger-B/one")
	})
}
