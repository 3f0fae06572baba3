package read

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read/confined"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Confinement describes the treatment of the formats that other makers' libraries decode.
type Confinement uint8

// The ways. The zero value decodes in a confined child, and only where there can be one.
const (
	Confined   Confinement = iota
	Unconfined             // decodes also where the system cannot confine a child
	Undecoded              // starts no child: the stream is searched as it is
)

// foreign is a stream that a library decodes in a child.
type foreign struct {
	*stream
	format Format
	room   content
	head   []byte // of the stream
	job    *confined.Job
	table  *table
	names  names
	read   bool // of it a member or a row came
	lost   bool // of it rows could not be read
}

// decodeForeign reads a stream of a format that a library decodes.
func (s *stream) decodeForeign(f Format) error {
	d := &foreign{stream: s, format: f, names: make(names)}
	d.head = append(d.head, s.in.peekBytes(excerptSize)...)
	room, ok, err := s.spoolRest()
	if !ok || err != nil {
		return err
	}
	if d.room = room; s.confinement == Undecoded {
		return d.reportUndecoded(finding.SourceUnreadable, "it is not decoded while logs are received")
	}
	d.job, err = confined.Open(s.ctx, confined.Source{Format: string(f), Octets: room.ReaderAt, Size: room.size,
		Members: s.limits.Members, Unconfined: s.confinement == Unconfined})
	if err != nil {
		return errors.Join(s.ctx.Err(), d.reportUndecoded(finding.SourceUnreadable, err.Error()))
	}
	defer d.job.Close()
	return d.readItems()
}

// readItems reads the items of the stream.
func (d *foreign) readItems() error {
	for d.ctx.Err() == nil {
		it, err := d.job.Next()
		if d.ctx.Err() != nil {
			break
		}
		if err != nil {
			return d.reportUnfinished(finding.SourceLimit, err.Error())
		}
		switch it.Kind {
		case confined.Member:
			err = d.readForeignMember(string(it.Name))
		case confined.Lost:
			d.read = true
			d.beginMember(string(it.Name))
			err = d.memberEnd(string(it.Name))
			d.endMember()
		case confined.Link:
			d.read = true
			err = d.linkMember(string(it.Name), 0)
		case confined.Table:
			d.table = d.stream.startTable(d.tableStep(string(it.Name)), d.format)
		case confined.Row:
			err = d.readRow(it.Row)
		case confined.Note:
			err = d.reportDamage(it)
		case confined.Final:
			return d.endStream(it)
		}
		if err != nil {
			return err
		}
	}
	return d.ctx.Err()
}

// readForeignMember reads a member, and reports its fault.
func (d *foreign) readForeignMember(name string) error {
	d.read = true
	d.beginMember(name)
	defer d.endMember()
	if whole, err := d.readMember(d.names, name, 0, d.job); !whole || err != nil {
		return err
	}
	return d.memberEnd(name)
}

// memberEnd returns the fault of a member, which is in the next item.
func (d *foreign) memberEnd(name string) error {
	quoted := safetext.Excerpt(name, safetext.Value)
	switch end, err := d.job.Next(); {
	case err != nil:
		return d.noteAt(0, finding.SourceLimit, "the member "+quoted+" was not read to its end: "+err.Error())
	case end.Status != confined.Whole:
		return d.noteAt(0, codeOf(end.Status), "the member "+quoted+" could not be read to its end: "+quotedSaying(end))
	}
	return nil
}

// tableStep names a table, each differently.
func (d *foreign) tableStep(name string) string {
	step := string(d.format)
	if name != "" {
		step += ":" + strings.ToValidUTF8(name, "\ufffd")
	}
	for h := hashOf(step); d.names[h]; h = hashOf(step) {
		step = fmt.Sprintf("%s@%d", step, len(d.names))
	}
	d.names[hashOf(step)] = true
	return step
}

// readRow reads a row.
func (d *foreign) readRow(text []byte) error {
	d.read = true
	if d.table == nil {
		d.table = d.stream.startTable(d.tableStep(""), d.format)
	}
	return d.table.addText(text)
}

// reportDamage reports the fault of a table, or of bytes after the end of an archive.
func (d *foreign) reportDamage(it confined.Item) error {
	if it.Status == confined.Behind {
		at, err := strconv.ParseInt(string(it.Text), 10, 64)
		if err != nil || at < 0 || at > d.room.size {
			at = d.room.size
		}
		return d.skip(Skip{Place: Place{Container: d.container, Offset: at, Length: d.room.size - at},
			Code: finding.SourceTrailingData, Detail: "behind the end of the archive"})
	}
	d.lost = true
	if d.table != nil {
		return d.table.reportLost(codeOf(it.Status), "rows could not be read: "+quotedSaying(it))
	}
	return d.noteAt(0, codeOf(it.Status), quotedSaying(it))
}

// endStream ends the stream. The pages of a damaged SQLite file that no table leads to are
// searched with all others.
func (d *foreign) endStream(it confined.Item) error {
	var err error
	if it.Status != confined.Whole {
		err = d.reportUnfinished(codeOf(it.Status), quotedSaying(it))
	} else if !d.read && d.table == nil && !d.lost {
		err = d.withoutFiles(0)
	}
	if err == nil && d.lost && d.format == SQLite {
		err = d.searchOctets("pages of a damaged SQLite file")
	}
	return err
}

// reportUnfinished reports that the stream was not decoded to its end. If nothing came of it, it is
// searched as it is.
func (d *foreign) reportUnfinished(code finding.Code, why string) error {
	if !d.read {
		d.lost = false
		return d.reportUndecoded(code, why)
	}
	return d.skip(Skip{Place: Place{Container: d.container, Length: d.room.size}, Code: code,
		Detail: "not all of it could be decoded: " + why, Excerpt: d.head})
}

// reportUndecoded reports that the stream is not decoded, and searches it for events that were
// not compressed.
func (d *foreign) reportUndecoded(code finding.Code, why string) error {
	what := string(d.format)
	if err := d.noteAt(0, code, "the "+what+" data could not be decoded: "+why); err != nil {
		return err
	}
	if d.leaf != nil {
		return nil
	}
	return d.searchOctets(what + " data that could not be decoded")
}

// searchOctets searches the stream for events, as if its format were not known.
func (d *foreign) searchOctets(what string) error {
	d.consumed -= d.room.size // it is consumed again
	raw := *d.stream
	raw.in = d.borrowInput(io.NewSectionReader(d.room, 0, d.room.size), 0)
	defer d.giveBack(raw.in)
	return raw.searchUnknown(what)
}

// quotedSaying returns a library's message, quoted.
func quotedSaying(it confined.Item) string {
	if len(it.Text) == 0 {
		return "it is not whole"
	}
	return safetext.Excerpt(it.Text, 4*safetext.Value)
}

// codeOf is the code of a status.
func codeOf(s confined.Status) finding.Code {
	switch s {
	case confined.Truncated:
		return finding.SourceTruncated
	case confined.Unknown:
		return finding.SourceUnknownFormat
	case confined.TooLarge:
		return finding.SourceLimit
	}
	return finding.SourceUnparseable
}
