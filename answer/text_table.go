package answer

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// addTable adds rows in columns. If they are wider than the terminal, each row is a record, so that
// nothing is cut.
func (t *textWriter) addTable(indent int, table Table) {
	if len(table.Rows) > 0 {
		lines, ok := table.inColumns(Width - indent)
		if !ok {
			t.addRecords(indent, table)
		}
		for _, line := range lines {
			fmt.Fprintf(t, "%*s%s", indent, "", line)
			t.endLine()
		}
	}
	t.addBlocks(indent, []Block{table.Left})
}

// inColumns returns the lines of a table. It is false if they are wider than the width.
func (table Table) inColumns(width int) (lines []string, ok bool) {
	var heads []string
	var aligns []tw.Align
	for _, c := range table.Columns {
		align := tw.AlignLeft
		if c.Kind == "number" {
			align = tw.AlignRight
		}
		heads, aligns = append(heads, safetext.Line(c.Head)), append(aligns, align)
	}
	var rows [][]string
	for _, cells := range table.Rows {
		row := make([]string, len(cells))
		for i, lines := range cells {
			row[i] = lines.joinLines("\n")
		}
		rows = append(rows, row)
	}
	var b bytes.Buffer
	sides := tw.CellAlignment{PerColumn: aligns}
	drawn := tablewriter.NewTable(&b,
		tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(sides), tablewriter.WithRowAlignmentConfig(sides),
		tablewriter.WithPadding(tw.Padding{Left: "", Right: "  "}),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{Borders: tw.BorderNone,
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone}})))
	drawn.Header(heads)
	if drawn.Bulk(rows) != nil || drawn.Render() != nil {
		return nil, false
	}
	for line := range bytes.Lines(b.Bytes()) {
		text := strings.TrimRight(string(line), " \n")
		if columns.Width(text) > width {
			return nil, false
		}
		lines = append(lines, text)
	}
	return lines, true
}

// joinLines joins the lines of a cell, safe to show.
func (c Cell) joinLines(with string) string {
	var all []string
	for _, line := range c {
		all = append(all, line.String())
	}
	return strings.Join(all, with)
}

// addRecords adds each row as its first cell, with the others below it behind the heads of
// their columns. Empty and zero cells are omitted.
func (t *textWriter) addRecords(indent int, table Table) {
	for _, cells := range table.Rows {
		var below Text
		for i, cell := range cells {
			value := cell.joinLines(", ")
			switch {
			case i == 0:
				for _, line := range cell {
					t.addText(indent, indent+2, line)
				}
				continue
			case value == "" || value == "0" || i >= len(table.Columns):
				continue
			case len(below) > 0:
				below = Say(below, "; ")
			}
			below = Say(below, table.Columns[i].Head+" ", value)
		}
		if len(below) > 0 {
			t.addText(indent+2, indent+2, below)
		}
	}
}
