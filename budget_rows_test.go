package house_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Row is one line of the file of limits: a name and its figures.
type Row struct {
	Name    string
	Figures []int
	Places  []string // where the figure comes from, of rows over the whole tree
}

// Columns are the figures of a folder's row. A row over the whole tree has one figure.
var Columns = []string{"tokens", "lines", "packages", "data"}

// Parse reads a file of limits. Empty lines and lines with # are comments.
func Parse(text string) ([]Row, error) {
	var rows []Row
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		var figures []int
		name := fields
		for len(name) > 0 {
			n, err := strconv.Atoi(name[len(name)-1])
			if err != nil {
				break
			}
			figures, name = append(figures, n), name[:len(name)-1]
		}
		slices.Reverse(figures)
		if len(name) == 0 || len(figures) != 1 && len(figures) != len(Columns) {
			return nil, fmt.Errorf("expected a name with 1 or %d figures: %q", len(Columns), line)
		}
		rows = append(rows, Row{Name: strings.Join(name, " "), Figures: figures})
	}
	return rows, nil
}

// String returns the row as a line of the file.
func (r Row) String() string {
	var line strings.Builder
	fmt.Fprintf(&line, "%-40s", r.Name)
	for _, n := range r.Figures {
		fmt.Fprintf(&line, " %8d", n)
	}
	return line.String()
}

// Growth returns a sentence for each figure that is over its limit.
func Growth(limits, counted []Row) []string {
	var over []string
	for _, c := range counted {
		i := slices.IndexFunc(limits, func(r Row) bool { return r.Name == c.Name && len(r.Figures) == len(c.Figures) })
		if i < 0 {
			over = append(over, fmt.Sprintf("%s has no line of its own; today it would be\n%s", c.Name, c))
			continue
		}
		for j, n := range c.Figures {
			if limit := limits[i].Figures[j]; n > limit {
				over = append(over, fmt.Sprintf("%s: %d, over the limit of %d", c.title(j), n, limit))
			}
		}
	}
	return over
}

// title names a figure of the row.
func (r Row) title(column int) string {
	if len(r.Figures) == 1 {
		return r.Name
	}
	return Columns[column] + " of " + r.Name
}

// Lower returns the file of limits with each figure that fell. It raises none, adds no
// line, and removes the lines of folders that are gone.
func Lower(text string, counted []Row) (string, error) {
	var lowered strings.Builder
	for line := range strings.Lines(text) {
		rows, err := Parse(line)
		if err != nil {
			return "", err
		}
		if len(rows) == 0 {
			lowered.WriteString(line)
			continue
		}
		limit := rows[0]
		i := slices.IndexFunc(counted, func(r Row) bool { return r.Name == limit.Name })
		if i < 0 || len(counted[i].Figures) != len(limit.Figures) {
			continue
		}
		for j, n := range counted[i].Figures {
			limit.Figures[j] = min(limit.Figures[j], n)
		}
		lowered.WriteString(limit.String() + "\n")
	}
	return lowered.String(), nil
}
