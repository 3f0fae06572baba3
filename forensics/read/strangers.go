package read

import (
	"bytes"
	_ "embed" // the table of formats
	"slices"
	"strconv"
	"strings"
	"sync"
)

// stranger is a format of files that people give, and for which there is no reader here.
// Its first row whose marks are there names a file.
type stranger struct {
	what   string
	help   string // the command that makes a readable form of FILE, or advice
	listed bool   // it holds no other files and no text (SPEC 13.1)
	marks  []mark
	also   func([]byte) bool // a further condition; may be nil
}

// mark is bytes at a place of a file.
type mark struct {
	at     int
	octets string
}

//go:embed strangers.txt
var strangersText string

// strangers returns the formats by their beginnings, in the order in which they are tried,
// and the formats that have a mark near their end.
var strangers = sync.OnceValues(func() (begins, ends []stranger) { return parseStrangers(strangersText) })

// strangerTests are further conditions, by their names in the table.
var strangerTests = map[string]func([]byte) bool{"binary": isBinary, "isArmoured": isArmoured,
	"isDeadLetter": isDeadLetter, "isEBCDIC": isEBCDIC, "isExt": isExt, "isFont": isFont, "isHeapPage": isHeapPage,
	"isInnoDB": isInnoDB, "isKafkaBatch": isKafkaBatch, "isLZMA": isLZMA, "isPE": isPE, "isPGP": isPGP,
	"isThumbs": isThumbs, "isWAL": isWAL, "isZ": isZ}

// parseStrangers reads the table. It panics if the table is wrong.
func parseStrangers(table string) (begins, ends []stranger) {
	for block := range strings.SplitSeq(table, "\n\n") {
		var s stranger
		for line := range strings.Lines(block) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch {
			case line[0] == '#':
			case line[0] != ' ':
				s.what = strings.TrimSpace(line)
			case key == "help":
				s.help = value
			case key == "listed":
				s.listed = true
			case key == "begins":
				begins = append(begins, s.parseRow(value))
			case key == "ends":
				ends = append(ends, s.parseRow(value))
			default:
				panic("strangers.txt: " + line)
			}
		}
	}
	return begins, ends
}

// parseRow returns a format with the marks and the test of a line.
func (s stranger) parseRow(line string) stranger {
	line, test, tested := strings.Cut(line, "also ")
	if s.also = strangerTests[test]; tested && s.also == nil {
		panic("strangers.txt: no test " + test)
	}
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		var m mark
		if offset, rest, ok := strings.Cut(line, " "); ok && line[0] != '"' {
			m.at, line = requireValue(strconv.Atoi(offset)), rest
		}
		quoted := requireValue(strconv.QuotedPrefix(line))
		m.octets, line = requireValue(strconv.Unquote(quoted)), line[len(quoted):]
		s.marks = append(s.marks, m)
	}
	return s
}

// requireValue returns a value of a table that is embedded here.
func requireValue[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// packed are the beginnings of archives that hardly occur by chance.
var packed = []string{sevenZipMagic, rarMagic, xzMagic, "MSCF\x00\x00\x00\x00"}

// holdsPacked reports whether an archive seems to begin in b.
func holdsPacked(b []byte) bool {
	return slices.ContainsFunc(packed, func(magic string) bool { return bytes.Contains(b, []byte(magic)) })
}
