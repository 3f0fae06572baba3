package bag

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Tag is a label of bag-info.txt, with its value.
type Tag struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// declaration is what bagit.txt says.
type declaration struct{ version, encoding string }

// readDeclaration reads bagit.txt, which has two lines. A *lineError is about the
// file.
func readDeclaration(r io.Reader) (d declaration, err error) {
	n := 0
	err = lines(r, func(number int, line string) error {
		n = number
		label, value, _ := strings.Cut(line, ":")
		switch {
		case number == 1 && label == "BagIt-Version":
			d.version = strings.Trim(value, " \t")
		case number == 2 && label == "Tag-File-Character-Encoding":
			d.encoding = strings.Trim(value, " \t")
		default:
			return &lineError{number, "BagIt-Version in line 1, Tag-File-Character-Encoding in line 2, and no more"}
		}
		return nil
	})
	if err == nil && n < 2 {
		err = &lineError{n + 1, "BagIt-Version in line 1, and Tag-File-Character-Encoding in line 2"}
	}
	return d, err
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

// oxum is the number of octets and files of the payload.
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
