package bag

import (
	"bufio"
	"bytes"
	"crypto/md5"  // #nosec G501 -- others' bags have it; that it is weak is said
	"crypto/sha1" // #nosec G505 -- as above
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// algorithm is one that digests in a bag are of.
type algorithm struct {
	name string
	size int // bytes of a digest
	weak bool
	make func() hash.Hash
}

// algorithms are the known ones, the strongest first.
var algorithms = []algorithm{
	{"sha512", sha512.Size, false, sha512.New},
	{"sha256", sha256.Size, false, sha256.New},
	{"sha1", sha1.Size, true, sha1.New},
	{"md5", md5.Size, true, md5.New},
}

// isManifest reports whether a name is the name of a manifest, of any algorithm.
func isManifest(name string) bool {
	return strings.HasSuffix(name, ".txt") &&
		(strings.HasPrefix(name, "manifest-") || strings.HasPrefix(name, "tagmanifest-"))
}

// listed is a line of a manifest, or of fetch.txt without a digest. The name is as it is in the file.
type listed struct {
	line   int
	digest string // raw bytes
	name   string
}

// writeLine writes the line of a name and its digest.
func writeLine(w io.Writer, digest []byte, name string) error {
	_, err := fmt.Fprintf(w, "%x  %s\n", digest, escaped(name))
	return err
}

// errLine is a line that is no line of its file. It states the expected form.
type lineError struct {
	line     int
	expected string
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: expected %s", e.line, e.expected) }

// lines calls f with each line of a tag file and its number. The line end, in the style of any
// system, is removed. A line that is too long, or not UTF-8, ends it.
func lines(r io.Reader, f func(number int, line string) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 4096), maxLine)
	s.Split(splitLine)
	number := 0
	for s.Scan() {
		number++
		line := s.Text()
		switch {
		case number == 1 && strings.HasPrefix(line, "\ufeff"):
			return &lineError{1, "text, found a byte-order mark"}
		case !utf8.ValidString(line):
			return &lineError{number, "UTF-8"}
		case strings.ContainsRune(line, 0):
			return &lineError{number, "text, found a NUL"}
		case number > maxFiles:
			return &lineError{number, "at most 1,000,000 lines"}
		}
		if err := f(number, line); err != nil {
			return err
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return &lineError{number + 1, fmt.Sprintf("at most %d octets", maxLine)}
	}
	return s.Err()
}

// splitLine splits at the line ends of every system: LF, CR, or CR and LF.
func splitLine(data []byte, atEnd bool) (advance int, token []byte, err error) {
	i := bytes.IndexAny(data, "\r\n")
	switch {
	case i < 0 && atEnd && len(data) > 0:
		return len(data), data, nil
	case i < 0, data[i] == '\r' && i+1 == len(data) && !atEnd: // an LF may follow
		return 0, nil, nil
	case data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n':
		return i + 2, data[:i:i], nil
	}
	return i + 1, data[:i:i], nil
}

// readManifest calls f with each line of a manifest. A *lineError is about the file.
func readManifest(r io.Reader, a algorithm, f func(listed)) error {
	return lines(r, func(number int, line string) error {
		text, name, _ := cutSpace(line)
		digest, err := hex.DecodeString(text)
		if err != nil || len(digest) != a.size || name == "" {
			return &lineError{number, fmt.Sprintf("%d hexadecimal digits, space and a name", 2*a.size)}
		}
		f(listed{number, string(digest), name})
		return nil
	})
}

// readFetch calls f with each line of fetch.txt: a file that is to be fetched.
func readFetch(r io.Reader, f func(listed)) error {
	return lines(r, func(number int, line string) error {
		address, rest, _ := cutSpace(line)
		size, name, ok := cutSpace(rest)
		if !ok || address == "" || name == "" || size != "-" && strings.Trim(size, "0123456789") != "" {
			return &lineError{number, "an address, a size or a hyphen, and a name"}
		}
		f(listed{line: number, name: name})
		return nil
	})
}

// cutSpace cuts at the first run of spaces and tabs.
func cutSpace(s string) (before, after string, found bool) {
	i := strings.IndexAny(s, " \t")
	if i < 0 {
		return s, "", false
	}
	return s[:i], strings.TrimLeft(s[i:], " \t"), true
}

// Tag is a label of bag-info.txt, with its value.
type Tag struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// declaration is the content of bagit.txt.
type declaration struct{ version, encoding string }

// declarationForm is the form of bagit.txt, with the line ends of any system.
var declarationForm = regexp.MustCompile(`\ABagIt-Version:[ \t]*([!-~]*)[ \t]*(?:\r\n?|\n)` +
	`Tag-File-Character-Encoding:[ \t]*([!-~]*)[ \t]*(?:\r\n?|\n)?\z`)

// readDeclaration reads bagit.txt. A *lineError is about the file.
func readDeclaration(r io.Reader) (*declaration, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	found := declarationForm.FindSubmatch(text)
	if found == nil {
		return nil, &lineError{1, "BagIt-Version in line 1, Tag-File-Character-Encoding in line 2, and no more"}
	}
	return &declaration{string(found[1]), string(found[2])}, nil
}

// readInfo reads bag-info.txt. A line that begins with space continues the value of
// the one before.
func readInfo(r io.Reader) (tags []Tag, err error) {
	err = lines(r, func(number int, line string) error {
		if len(tags) > 0 && strings.IndexAny(line, " \t") == 0 {
			last := &tags[len(tags)-1]
			last.Value = strings.Trim(last.Value+" "+strings.Trim(line, " \t"), " ")
			return nil
		}
		label, value, ok := strings.Cut(line, ":")
		if !ok || label == "" || strings.Trim(label, " \t") != label {
			return &lineError{number, "a label, a colon and a value"}
		}
		tags = append(tags, Tag{label, strings.Trim(value, " \t")})
		return nil
	})
	return tags, err
}

// writeInfo writes bag-info.txt. A line end in a value would begin another label: it
// becomes a space.
func writeInfo(w io.Writer, tags []Tag) error {
	oneLine := strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ", "\x00", " ")
	for _, t := range tags {
		if _, err := fmt.Fprintf(w, "%s: %s\n", t.Label, strings.Trim(oneLine.Replace(t.Value), " \t")); err != nil {
			return err
		}
	}
	return nil
}

// oxum is the number of bytes and files of the payload.
type oxum struct{ octets, files int64 }

func (o oxum) String() string { return fmt.Sprintf("%d.%d", o.octets, o.files) }

// parseOxum reads the value of Payload-Oxum.
func parseOxum(s string) (o oxum, ok bool) {
	octets, files, ok := strings.Cut(s, ".")
	var err, err2 error
	o.octets, err = strconv.ParseInt(octets, 10, 64)
	o.files, err2 = strconv.ParseInt(files, 10, 64)
	return o, ok && err == nil && err2 == nil && o.octets >= 0 && o.files >= 0
}
