package fleet

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
)

// Edited is a copy of the evidence of a fleet to be changed. The first fault is kept, and
// anything after it does not count.
type Edited struct {
	*Evidence
	Err error
}

// None reports that the evidence has nothing of a kind.
type None string

func (n None) Error() string { return "the evidence has no " + string(n) }

// Fail keeps the first fault.
func (e *Edited) Fail(err error) {
	if e.Err == nil {
		e.Err = err
	}
}

// Read returns a copy of the content of a file.
func (e *Edited) Read(name string) []byte {
	content, err := e.Content(name)
	if err != nil {
		e.Fail(err)
	}
	return bytes.Clone(content)
}

// Put writes a file, in the place of one that is there.
func (e *Edited) Put(name string, content []byte) { e.Files[name] = Bytes(content) }

// Edit replaces the lines of a file, each with its line feed.
func (e *Edited) Edit(name string, change func(lines [][]byte) [][]byte) {
	lines := slices.Collect(bytes.Lines(e.Read(name)))
	if len(lines) == 0 {
		e.Fail(None("line in " + name))
		return
	}
	e.Put(name, bytes.Join(change(lines), nil))
}

// OnLine replaces one line of a file, counted from 1 as events are.
func (e *Edited) OnLine(name string, number uint64, change func(line []byte) []byte) {
	e.Edit(name, func(lines [][]byte) [][]byte {
		lines[number-1] = change(lines[number-1])
		return lines
	})
}

// AddLine adds a line to a file.
func (e *Edited) AddLine(name string, line []byte) {
	e.Put(name, append(append(e.Read(name), line...), '\n'))
}

// First is the first file below a path, and its content.
func (e *Edited) First(path string) (string, []byte) {
	names := e.Names(path)
	if len(names) == 0 {
		e.Fail(None("file below " + path))
		return path, nil
	}
	return names[0], e.Read(names[0])
}

// Cut removes bytes from the end of the first file below a path, and
// returns its name.
func (e *Edited) Cut(path string, octets int) string {
	name, content := e.First(path)
	e.Put(name, content[:max(len(content)-octets, 0)])
	return name
}

// Replace replaces the first occurrence of a text in the first file below a
// path, and returns its name.
func (e *Edited) Replace(path, old, text string) string {
	name, content := e.First(path)
	if !bytes.Contains(content, []byte(old)) {
		e.Fail(None(old))
	}
	e.Put(name, bytes.Replace(content, []byte(old), []byte(text), 1))
	return name
}

// Inflate returns the first gzip object below a path, inflated.
func (e *Edited) Inflate(path string) (string, []byte) {
	name, content := e.First(path)
	r, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		e.Fail(fmt.Errorf("%s: %w", name, err))
		return name, nil
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		e.Fail(fmt.Errorf("%s: %w", name, err))
	}
	return name, plain
}

// Copies returns copies of all batches.
func (e *Edited) Copies() []*Batch {
	all := make([]*Batch, len(e.Batches))
	for i, b := range e.Batches {
		b.Bodies = slices.Clone(b.Bodies)
		all[i] = &b
	}
	return all
}
