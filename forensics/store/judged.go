package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/store/block"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/trust"
)

// Judged is a temporary store. Its content is judged under a trust file as it comes. So it
// keeps no body of an event, and of documents only their statements under that file. Its file
// is removed as soon as it is open, where the system allows that: even a process that is
// killed leaves nothing behind.
type Judged struct {
	*Writer
	dir string // that the file is in, or was
}

// JudgeOptions say how a store judges. The zero value has the defaults.
type JudgeOptions struct {
	Dir     string // where the file is made; "" is where temporary files usually are
	Workers int    // who verify signatures; 0: one for each processor
	Memory  int    // bytes held before they are written; 0: 32 MiB
}

// usualMemory is the memory in bytes for a run of a judged store. Runs are read in parallel
// later.
const usualMemory = 32 << 20

// NewJudged makes a store that judges. Close it after use.
func NewJudged(root *trust.Root, o JudgeOptions) (_ *Judged, err error) {
	dir, err := os.MkdirTemp(o.Dir, "svc-verify-*") // only its owner can look into it
	if err != nil {
		return nil, err
	}
	j := &Judged{dir: dir}
	if j.Writer, err = createJudged(filepath.Join(dir, "store.db")); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	j.judges, j.earlier.keeps = newJudges(root, o.Workers), false
	if j.full = usualMemory; o.Memory > 0 {
		j.full = o.Memory
	}
	_ = os.RemoveAll(dir) // files that cannot be removed yet are removed when it is closed
	return j, nil
}

// createJudged makes a case with one connection, which never waits for the disk. The rollback
// journal is in memory.
func createJudged(path string) (*Writer, error) {
	c, err := sqlite.Open(path, sqlite.Create)
	if err != nil {
		return nil, err
	}
	err = c.Exec("PRAGMA journal_mode=MEMORY; PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=OFF")
	if err == nil {
		err = kind.CreateIn(c)
	}
	w := writerBy(path, c, nil)
	w.begun()
	if err == nil {
		err = errors.Join(w.readState("MEMORY"), c.Exec("PRAGMA synchronous=OFF"))
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return w, nil
}

// Content returns the content of the store, under a header. No more may be added.
func (j *Judged) Content(ctx context.Context, h part.Header) (part.Content, error) {
	if err := j.Writer.Commit(); err != nil {
		return nil, err
	}
	if err := j.MergeRuns(ctx); err != nil {
		return nil, err
	}
	f := &File{conns: onlyConn(j.conn), judged: &h}
	if err := f.withConn(f.loadRows); err != nil {
		return nil, err
	}
	return f.Content, nil
}

// Close removes the store. No iterator may be in use.
func (j *Judged) Close() error {
	j.judges.endWorkers()
	sqlite.CloseAll(j.block, j.statement, j.bodies.add)
	return errors.Join(j.file.Close(), j.conn.Close(), os.RemoveAll(j.dir))
}

// judgement contains the results of a store that judges, for one chunk.
type judgement struct {
	documents []foundDocument
	groups    groups
	left      []int // the groups that are to be judged with others
	err       error
}

// foundDocument is a document, and its kept form.
type foundDocument struct {
	sha256 chain.Hash
	octets []byte
}

func (g *judgement) reset() {
	g.documents, g.left, g.err = nil, g.left[:0], nil
	g.groups.reset()
}

// judgeChunk judges the documents, and the events of logs with many.
func (p *prepared) judgeChunk(j *judges, c *facts.Chunk) {
	for i := range c.Documents {
		d := &c.Documents[i]
		p.documents = append(p.documents, foundDocument{sha256.Sum256(d.Bytes), sayingOf(d, j.root)})
	}
	p.groups.sortEvents(c.Events)
	for i := range p.groups.all {
		g := &p.groups.all[i]
		if len(g.events) < enough {
			p.left = append(p.left, i)
			continue
		}
		if err := j.judge.Judge(g.log, g.events); err != nil {
			p.err = err
			return
		}
		for n, at := range g.at {
			p.entries[at].judged(g.events[n])
		}
	}
}

// sayingOf returns the texts of a document under a trust file: for the walk, and for the
// comparison, each with its length.
func sayingOf(d *facts.FoundDocument, root *trust.Root) []byte {
	walk, cross, err := facts.TestimonyOf(d.Kind, d.Bytes, root, facts.ForWalk|facts.ForComparison).Documents()
	if err != nil {
		panic(err) // everything made here has a canonical form
	}
	return block.AppendText(block.AppendText(nil, walk), cross)
}

// readSaying reads the output of sayingOf.
func readSaying(d *part.Document, octets []byte) error {
	r := block.Decoder{B: octets}
	d.Walk, d.Cross = r.Octets(len(octets)), r.Octets(len(octets))
	if r.Fault != nil {
		return r.Fault
	}
	return nil
}

// judgeLater has the events of a chunk judged that were not yet, which were added from an
// entry on.
func (r *run) judgeLater(j *judges, p *prepared, first uint32) {
	for _, i := range p.left {
		g := &p.groups.all[i]
		for n, at := range g.at {
			j.judgeEvent(g.log, g.events[n], r.entry(first+uint32(at)))
		}
	}
}
