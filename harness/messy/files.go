package messy

import (
	"bytes"
	"fmt"
	"path"
	"slices"
)

// fileActs leave whole lines in other files.
var fileActs = []act{
	{"rotated", func(c *Collection) { c.rotate(numberedNames, func([][][]byte, int) [][]byte { return nil }) }},
	{"rotated, overlapping", (*Collection).overlapFiles},
	{"rotated, a retry in a later file", func(c *Collection) { c.rotate(numberedNames, c.repeatLines) }},
	{"a folder for each day, a late retry", func(c *Collection) { c.rotate(datedNames, c.repeatLines) }},
	{"head", func(c *Collection) { c.keepExcerpt(func(l [][]byte, n int) [][]byte { return l[:n] }) }},
	{"tail", func(c *Collection) { c.keepExcerpt(func(l [][]byte, n int) [][]byte { return l[len(l)-n:] }) }},
	{"head and tail", (*Collection).keepEnds},
	{"a range", func(c *Collection) {
		c.keepExcerpt(func(l [][]byte, n int) [][]byte { at := c.draw.Below(len(l) - n + 1); return l[at : at+n] })
	}},
	{"a search", func(c *Collection) { c.keepExcerpt(c.keepMatching) }},
	{"an earlier copy", (*Collection).addEarlier},
	{"a second copy", func(c *Collection) { name := pickOne(c, c.lineFiles()); c.addFile("copy/"+name, c.Files[name]) }},
	{"a foreign file", (*Collection).addForeign},
	{"compressed", (*Collection).compressFile},
}

// cutLines divides lines into files, from two to four.
func (c *Collection) cutLines(lines [][]byte) (files [][][]byte) {
	for n := 2 + c.draw.Below(3); n > 1 && len(lines) > 2*n; n-- {
		at := 1 + c.draw.Below(len(lines)-n)
		files, lines = append(files, lines[:at]), lines[at:]
	}
	return append(files, lines)
}

// numberedNames names the files of a log as logrotate does.
func numberedNames(name string, i, all int) string { return fmt.Sprintf("%s.%d", name, all-i) }

// datedNames puts each file of a log into the folder of a day.
func datedNames(name string, i, _ int) string {
	folder, base := path.Split(name)
	return fmt.Sprintf("%s2026-03-%02d/%s", folder, i+2, base)
}

// rotate puts the files of a log into its place. Each begins with the lines that again
// returns.
func (c *Collection) rotate(named func(name string, i, all int) string, again func(files [][][]byte, i int) [][]byte) {
	logs := c.wholeLogs()
	if len(logs) == 0 {
		return
	}
	name := pickOne(c, logs)
	files := c.cutLines(linesOf(c.Files[name]))
	delete(c.Files, name)
	for i := range files {
		c.addFile(named(name, i, len(files)), joinLines(append(again(files, i), files[i]...)...))
	}
}

// overlapFiles begins each file with the last lines of the file before it.
func (c *Collection) overlapFiles() {
	n := 1 + c.draw.Below(8)
	c.rotate(numberedNames, func(files [][][]byte, i int) [][]byte {
		if i == 0 {
			return nil
		}
		return slices.Clone(files[i-1][max(0, len(files[i-1])-n):])
	})
}

// repeatLines returns lines of any earlier file.
func (c *Collection) repeatLines(files [][][]byte, i int) (lines [][]byte) {
	for range 1 + c.draw.Below(3) {
		if i > 0 {
			lines = append(lines, pickOne(c, files[c.draw.Below(i)]))
		}
	}
	return lines
}

// keepExcerpt keeps some of the lines of a file in the same folder or elsewhere.
func (c *Collection) keepExcerpt(of func(lines [][]byte, n int) [][]byte) {
	listed := c.lineFiles()
	if len(listed) == 0 {
		return
	}
	name := pickOne(c, listed)
	lines := linesOf(c.Files[name])
	if kept := of(lines, 1+c.draw.Below(max(1, len(lines)/2))); len(kept) > 0 {
		folder := pickOne(c, []string{path.Dir(name), "excerpts", "."})
		c.addFile(path.Join(folder, pickOne(c, []string{"out.txt", "excerpt" + path.Ext(name), "x"})), joinLines(kept...))
	}
}

// keepEnds keeps the two ends of a file in two files.
func (c *Collection) keepEnds() {
	seed := c.draw.Below(1 << 16)
	name := pickOne(c, append(c.wholeLogs(), "tenant.ndjson"))
	lines := linesOf(c.Files[name])
	if len(lines) < 8 {
		return
	}
	n := 1 + seed%(len(lines)/4)
	for i, folder := range pickOne(c, [][]string{{path.Dir(name), path.Dir(name)}, {"first", "last"}, {"ends", "ends"}}) {
		part := [][][]byte{lines[:n], lines[len(lines)-n:]}[i]
		c.addFile(path.Join(folder, []string{"head.txt", "tail.txt"}[i]), joinLines(part...))
	}
}

// keepMatching returns the result of a search for a word: at most half of the lines.
func (c *Collection) keepMatching(lines [][]byte, _ int) [][]byte {
	word := pickOne(c, []string{"approval", "checkpoint", "tx-2026-0002", "policy", "issuance", "capability"})
	found := slices.DeleteFunc(slices.Clone(lines), func(l []byte) bool { return !bytes.Contains(l, []byte(word)) })
	if 2*len(found) > len(lines) {
		return nil
	}
	return found
}

// addEarlier adds a copy of a log from a time when it was shorter.
func (c *Collection) addEarlier() {
	logs := c.wholeLogs()
	if len(logs) == 0 {
		return
	}
	name := pickOne(c, logs)
	lines := linesOf(c.Files[name])
	c.addFile("monday/"+name, joinLines(lines[:1+c.draw.Below(len(lines))]...))
}
