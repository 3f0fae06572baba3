package main

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

func checkArchive(c *invocation) *reply {
	defer limitMemory(batchMemory)()
	o := c.archiveOptions()
	c.openReports(c.Text("trust"), c.Text("ledger"))
	l := c.openLedgerWriter()
	r := closeLater(c, mustHave(runCheck(c, l, o)))
	return &reply{code: exitCode(r.Verdict), report: r.Report(),
		says: sayingsOf(r.UnknownKeys, r.NotExamined, r.Verdict, r.Reason()), json: r, doc: func() *answer.Doc {
			return text.Check(r, safetext.Quote(c.Text("trust")), safetext.Quote(c.Text("ledger")))
		}}
}

// archiveOptions reads the options of an archive check.
func (c *invocation) archiveOptions() archive.Options {
	o := archive.Options{Dir: c.Args[0], Tool: tool(), ToolSHA256: ownDigest(),
		Budget: c.Duration("budget"),
		MaxAge: c.Duration("max-age"), Adopt: c.Switch("adopt"), Workers: c.jobsOf(), TempDir: c.Text("temp-dir"),
		Records: len(c.List("report")) > 0, Fixed: c.Given("at"), At: time.Now()}
	if o.Fixed {
		o.At = c.timeOf("at")
	}
	o.Sample, o.Seed = c.sampleOf()
	o.Expect = c.digestOf("expect-run")
	o.Ignore = c.ignoredPatterns()
	policy := c.keptPolicy()
	stopOn(outsideOf(c, o.Dir))
	o.Judge = c.newJudge(policy)
	return o
}

// ignoredPatterns reads --ignore and --no-ignore; nil without both.
func (c *invocation) ignoredPatterns() listing.Patterns {
	refuseIf(c.Given("ignore") && c.Switch("no-ignore"), "--ignore and --no-ignore exclude each other")
	if c.Switch("no-ignore") {
		return listing.Patterns{}
	}
	patterns := slices.Compact(slices.Sorted(slices.Values(c.List("ignore"))))
	for _, pattern := range patterns {
		refuseIf(!run.IsPattern(pattern), "--ignore: expected a pattern of names, found %s", safetext.Quote(pattern))
	}
	refuseIf(len(patterns) > run.MaxPatterns, "--ignore: expected at most %d patterns", run.MaxPatterns)
	return patterns
}

// newJudge returns a judge of archive objects under --trust.
func (c *invocation) newJudge(policy verify.Policy) *object.Judge {
	return object.NewJudge(object.Options{Root: c.trustFile(), Policy: policy, TempDir: c.Text("temp-dir"),
		Workers: c.jobsOf()})
}

// sampleOf reads --sample and --seed.
func (c *invocation) sampleOf() (parts int64, seed string) {
	parts, ok := archive.ParsePercent(c.Text("sample"))
	seed = c.Text("seed")
	if !c.Given("sample") && !c.Given("seed") {
		return 0, ""
	}
	refuseIf(!c.Given("sample"), "--seed: there is no sample to draw; give --sample too")
	refuseIf(!ok, "--sample: expected more than 0%% and at most 100%%, with up to four decimals such as 5%% or 0.25%%, "+
		"found %s", safetext.Quote(c.Text("sample")))
	refuseIf(c.Given("seed") && !run.IsText(seed), "--seed: expected 1 to %d octets without control characters",
		run.MaxText)
	if seed == "" {
		random := make([]byte, 16)
		rand.Read(random) // never fails
		seed = hex.EncodeToString(random)
	}
	return parts, seed
}

// outsideOf returns an error if something would be written into the archive.
func outsideOf(c *invocation, dir string) error {
	if _, err := os.Stat(dir); err != nil {
		if _, gone := os.Lstat(c.Text("ledger")); gone == nil && errors.Is(err, fs.ErrNotExist) {
			return nil // the archive is gone
		}
		return fmt.Errorf("%s: %w", safetext.Quote(dir), access.WithoutPath(err))
	}
	written := [][2]string{}
	for _, value := range c.List("report") {
		if _, file, given := strings.Cut(value, "="); given && file != "" {
			written = append(written, [2]string{"report", file})
		}
	}
	written = append(written, [2]string{"temp-dir", filepath.Join(cmp.Or(c.Text("temp-dir"), os.TempDir()), "file")},
		[2]string{"ledger", c.Text("ledger")})
	for _, w := range written {
		if err := ledger.Outside(dir, w[1]); err != nil {
			return cliapp.Usagef("--%s: %s; an archive is never written to", w[0], err)
		}
	}
	return nil
}

// ownDigest is the digest of the program's file; zeros if it cannot be read.
var ownDigest = sync.OnceValue(func() (sum [sha256.Size]byte) {
	name, err := os.Executable()
	if err != nil {
		return sum
	}
	f, err := access.OpenRegular(name)
	if err != nil {
		return sum
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err == nil {
		hash.Sum(sum[:0])
	}
	return sum
})

// runCheck runs the check, and shows how far it is.
func runCheck(c *invocation, l *ledger.Writer, o archive.Options) (*archive.Result, error) {
	m := c.newMeter(progress.Number)
	o.Progress = func(p archive.Progress) {
		m.Show(progress.Done{Doing: o.Dir, Read: p.Done, Of: p.Of, Events: p.Done})
	}
	r, err := archive.Check(c.ctx, l, o)
	if isFull(err) {
		err = fmt.Errorf("%w: make room for the ledger, and for temporary files or choose another place with "+
			"--temp-dir", err)
	}
	return r, err
}

// isFull reports whether there was no room for a file.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) }
