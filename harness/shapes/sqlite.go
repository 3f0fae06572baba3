package shapes

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	_ "modernc.org/sqlite" // the driver
)

const (
	sqlitePage  = "SQLite: Command Line Shell For SQLite, https://sqlite.org/cli.html"
	sqliteFiles = "SQLite: Database File Format, https://sqlite.org/fileformat2.html"
)

// sqliteShapes are what the program sqlite3 writes, each compared with version
// 3.40, and its file.
func sqliteShapes() []Shape {
	const export = "copy the file, or sqlite3 audit.db .dump"
	return []Shape{
		{
			Name: "sqlite/file", Document: sqliteFiles, Export: `sqlite3 audit.db "VACUUM INTO 'copy.db'"`, Keeps: Octets,
			Batch: true,
			Whole: true, Write: sqliteFile,
		},
		{
			Name: "sqlite/dump", Document: sqlitePage, Export: export, Keeps: Octets,
			Write: page{"audit.sql", "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n" +
				"CREATE TABLE audit(id INTEGER PRIMARY KEY, received_at TEXT, body TEXT);\n", "", "COMMIT;\n"}.of(
				func(r record) string {
					return fmt.Sprintf("INSERT INTO audit VALUES(%d,'%s',%s);\n", r.n, r.stamp(), quoteSQL(r.line))
				}),
		},
		{
			Name: "sqlite/dump-blob", Document: sqlitePage, Export: export, Keeps: Octets,
			Write: page{"audit.sql", "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n" +
				"CREATE TABLE audit(id INTEGER PRIMARY KEY, received_at TEXT, body BLOB);\n", "", "COMMIT;\n"}.of(
				func(r record) string {
					return fmt.Sprintf("INSERT INTO audit VALUES(%d,'%s',X'%s');\n", r.n, r.stamp(), hexText(r.line))
				}),
		},
		{
			Name: "sqlite/insert", Document: sqlitePage, Export: export, Keeps: Octets,
			Write: lined("audit.sql", func(r record) string {
				return fmt.Sprintf("INSERT INTO audit(id,received_at,body) VALUES(%d,'%s',%s);", r.n, r.stamp(), quoteSQL(r.line))
			}),
		},
		{
			Name: "sqlite/quote", Document: sqlitePage, Export: export, Keeps: Octets,
			Write: page{name: "audit.txt", head: "'id','received_at','body'\n"}.of(func(r record) string {
				return fmt.Sprintf("%d,'%s',%s\n", r.n, r.stamp(), quoteSQL(r.line))
			}),
		},
		{
			Name: "sqlite/list", Document: sqlitePage, Export: export, Keeps: Octets,
			Write: lined("audit.txt", func(r record) string { return r.id() + "|" + r.stamp() + "|" + r.line }),
		},
		{
			Name: "sqlite/csv", Document: sqlitePage, Export: export, Keeps: Octets, Batch: true, Write: sqliteCSV,
		},
		{
			Name: "sqlite/json", Document: sqlitePage, Export: export, Keeps: Octets, Batch: true,
			Write: page{"audit.json", "[", ",\n", "]\n"}.of(func(r record) string {
				return compact.object("id", r.id(), "received_at", compact.quote(r.stamp()),
					batchName, compact.quote(r.batch), "body", compact.quote(r.line))
			}),
		},
		{
			Name: "sqlite/html", Document: sqlitePage, Export: export, Keeps: Octets,
			Write: page{name: "audit.html", head: "<TR><TH>id</TH>\n<TH>body</TH>\n</TR>\n"}.of(func(r record) string {
				return "<TR><TD>" + r.id() + "</TD>\n<TD>" + htmlText(r.line) + "</TD>\n</TR>\n"
			}),
		},
		{
			Name: "sqlite/tabs", Document: sqlitePage, Export: export, Keeps: Octets,
			Write: lined("audit.tsv", func(r record) string { return r.id() + "\t" + r.stamp() + "\t" + r.line }),
		},
		{
			Name: "sqlite/tcl", Document: sqlitePage, Export: export, Keeps: Octets,
			Write: lined("audit.txt", func(r record) string {
				return `"` + r.id() + `" "` + r.stamp() + `" "` + octal(cString(r.line)) + `"`
			}),
		},
		{
			Name: "sqlite/line", Document: sqlitePage, Export: export, Keeps: Octets,
			Write: page{name: "audit.txt", between: "\n"}.of(func(r record) string {
				return "         id = " + r.id() + "\nreceived_at = " + r.stamp() + "\n       body = " + r.line + "\n"
			}),
		},
		{
			Name: "sqlite/box", Document: sqlitePage, Export: export, Keeps: Octets,
			Write: boxed(0, "┌─┬┐", "│", "├─┼┤", "└─┴┘"),
		},
		{
			Name: "sqlite/table", Document: sqlitePage, Export: export, Keeps: Octets,
			Write: boxed(0, "+-++", "|", "+-++", "+-++"),
		},
		{
			Name: "sqlite/markdown", Document: sqlitePage, Export: export, Keeps: Octets,
			Write: boxed(0, "", "|", "|-||", ""),
		},
		{
			Name: "sqlite/box-wrapped", Document: sqlitePage, Export: export, Keeps: Less,
			Loses: "Unless --wrap 0 is given, cells are broken after 60 columns.",
			Write: boxed(60, "┌─┬┐", "│", "├─┼┤", "└─┴┘"),
		},
	}
}

// sqliteCSV has quotes around what is empty or is not plain, and ends lines as RFC
// 4180 says.
func sqliteCSV(l Log) Files {
	cell := func(text string) string {
		plain := func(r rune) bool { return r > ' ' && r < 0x7f && !strings.ContainsRune(`"',`, r) }
		if text != "" && strings.TrimFunc(text, plain) == "" {
			return text
		}
		return quoted(text)
	}
	return encoded("audit.csv", table("", ",", cell), windowsLines)(l)
}

// boxed draws a table of three columns, whose cells it breaks at a width unless that
// is 0. Each rule is the characters of a line: its start, its stroke, its crossing
// and its end; side stands between cells.
func boxed(limit int, top, side, middle, bottom string) func(Log) Files {
	return func(l Log) Files {
		widths := []int{2, 23, 4}
		rows := [][]string{}
		for _, r := range l.records() {
			cells := []string{r.id(), r.stamp()}
			for text := []rune(r.line); len(text) > 0; cells = []string{"", ""} {
				n := len(text)
				if limit > 0 {
					n = min(n, limit)
				}
				widths[2] = max(widths[2], n)
				rows = append(rows, append(cells, string(text[:n])))
				text = text[n:]
			}
		}
		line := func(cells []string) string {
			for i := range cells {
				cells[i] = " " + pad(cells[i], widths[i]) + " "
			}
			return side + strings.Join(cells, side) + side + "\n"
		}
		out := rule(top, widths) + line([]string{"id", "received_at", "body"}) + rule(middle, widths)
		for _, row := range rows {
			out += line(row)
		}
		return file("audit.txt", []byte(out+rule(bottom, widths)))
	}
}

func rule(characters string, widths []int) string {
	if characters == "" {
		return ""
	}
	c := []rune(characters)
	var parts []string
	for _, w := range widths {
		parts = append(parts, strings.Repeat(string(c[1]), w+2))
	}
	return string(c[0]) + strings.Join(parts, string(c[2])) + string(c[3]) + "\n"
}

// sqliteFile is a database of one table.
func sqliteFile(l Log) Files {
	db := must(sql.Open("sqlite", ":memory:"))
	defer func() { must(0, db.Close()) }()
	conn := must(db.Conn(context.Background()))
	defer func() { must(0, conn.Close()) }()
	execute := func(statement string, values ...any) {
		must(conn.ExecContext(context.Background(), statement, values...))
	}
	execute("CREATE TABLE audit(id INTEGER PRIMARY KEY, received_at TEXT, " + batchName + " TEXT, body TEXT)")
	for _, r := range l.records() {
		execute("INSERT INTO audit VALUES(?,?,?,?)", r.n, r.stamp(), r.batch, r.line)
	}
	var content []byte
	must(0, conn.Raw(func(driver any) (err error) {
		content, err = driver.(interface{ Serialize() ([]byte, error) }).Serialize()
		return err
	}))
	return file("audit.db", content)
}
