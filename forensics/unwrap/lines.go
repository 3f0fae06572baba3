package unwrap

import (
	"bytes"
	"unicode/utf8"
)

// brokenLines returns the layer of a text that was broken into lines of a width, behind some other
// text on the first of them. All other lines can have one indent. A line that is shorter ended
// with a space, which was left out.
func brokenLines(before, text []byte) *layer {
	var indent []byte
	var spaced map[int]bool
	return &layer{unbroken.name, "\r\n", func(dst, src []byte) ([]byte, int) {
		if spaced == nil { // at the first break
			indent, spaced = findBreaks(before, text)
		}
		if spaced[len(src)] {
			dst = append(dst, ' ')
		}
		next := bytes.TrimPrefix(bytes.TrimPrefix(src, []byte("\r")), []byte("\n"))
		return dst, len(src) - len(bytes.TrimPrefix(next, indent))
	}}
}

// findBreaks returns the indent of the lines, and whether a space was left out at a break, by the
// size of the text behind the break.
func findBreaks(before, text []byte) (indent []byte, spaced map[int]bool) {
	var width [2]int // in characters, and in bytes
	sizes := map[[2]int]bool{}
	last := bytes.LastIndexByte(bytes.TrimRight(text, "\r\n"), '\n') + 1
	for line := range bytes.Lines(text[:last]) {
		spaces := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if len(sizes) == 1 || len(sizes) > 1 && bytes.HasPrefix(indent, spaces) {
			indent = spaces
		}
		size := sizeOfLine(line)
		if len(sizes) == 0 {
			size = [2]int{size[0] + utf8.RuneCount(before), size[1] + len(before)}
		} else if sizes[size] { // others can be no lines of the text
			width = [2]int{max(width[0], size[0]), max(width[1], size[1])}
		}
		sizes[size] = true
	}
	spaced = map[int]bool{}
	rest := text
	for line := range bytes.Lines(text[:last]) {
		size, content := sizeOfLine(line), bytes.TrimRight(line, "\r\n")
		isShort := size[0] < width[0] && size[1] < width[1]
		if len(rest) == len(text) { // its beginning can have been passed
			isShort = size[0]+utf8.RuneCount(before)+1 == width[0]
		}
		spaced[len(rest)-len(content)] = isShort && !bytes.HasSuffix(content, []byte(" "))
		rest = rest[len(line):]
	}
	return indent, spaced
}

// sizeOfLine returns how long a line is in characters, and in bytes.
func sizeOfLine(line []byte) [2]int {
	line = bytes.TrimRight(line, "\r\n")
	return [2]int{utf8.RuneCount(line), len(line)}
}
