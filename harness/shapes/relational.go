package shapes

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// relationalShapes are what other relational databases hand out.
func relationalShapes() []Shape {
	const (
		sqlplus = "Oracle: SQL*Plus, SET, " +
			"https://docs.oracle.com/en/database/oracle/oracle-database/19/sqpug/SET-system-variable-summary.html"
		sqlcl   = "Oracle: SQLcl, SET SQLFORMAT, https://docs.oracle.com/en/database/oracle/sql-developer-command-line/"
		forJSON = "SQL Server: FOR JSON, " +
			"https://learn.microsoft.com/en-us/sql/relational-databases/json/" +
			"format-query-results-as-json-with-for-json-sql-server"
		sqlcmd = "SQL Server: sqlcmd, https://learn.microsoft.com/en-us/sql/tools/sqlcmd/sqlcmd-utility"
		bcp    = "SQL Server: bcp, https://learn.microsoft.com/en-us/sql/tools/bcp-utility"
		h2     = "H2: SCRIPT, https://h2database.com/html/commands.html"
		db2    = "Db2: Delimited ASCII (DEL) file format, https://www.ibm.com/docs/en/db2"
		whole  = `bcp "SELECT (SELECT * FROM audit FOR JSON PATH)" queryout audit.json -w`
		csvOn  = "SET MARKUP CSV ON; SET LONG 2000000000; SPOOL audit.csv"
	)
	slashed := spelling{slash: true, colon: ":", comma: ","}
	return []Shape{
		{
			Name: "oracle/sqlplus-csv", Document: sqlplus, Export: csvOn, Keeps: Octets, Batch: true,
			Write: table("audit.csv", ",", quoted),
		},
		{
			Name: "oracle/sqlplus-spool", Document: sqlplus, Export: csvOn, Keeps: Less,
			Loses: "SQL*Plus breaks rows at LINESIZE, and cuts long values at LONG.",
			Write: lined("audit.lst", func(r record) string {
				return fmt.Sprintf("%10d ", r.n) + wrapped(r.line, 69, "\n           ")
			}),
		},
		{
			Name: "oracle/sqlcl-json", Document: sqlcl, Export: "SET SQLFORMAT json; SPOOL audit.json", Keeps: Octets,
			Batch: true,
			Write: page{"audit.json", `{"results":[{"columns":[{"name":"ID","type":"NUMBER"},{"name":"BODY","type":"CLOB"}],` +
				`"items":` + "\n[\n",
				"\n,", "\n]}]}\n"}.of(rowObject(slashed)),
		},
		{
			Name: "oracle/sqldeveloper-insert", Document: sqlcl, Export: "SET SQLFORMAT json; SPOOL audit.json",
			Keeps: Octets,
			Write: page{name: "audit.sql", head: "REM INSERTING into AUDIT\nSET DEFINE OFF;\n"}.of(func(r record) string {
				return fmt.Sprintf("Insert into AUDIT (ID,BODY) values (%d,%s);\n", r.n, quoteSQL(r.line))
			}),
		},
		{
			Name: "sqlserver/bcp", Document: bcp, Export: "bcp edge.dbo.audit out audit.txt -w", Keeps: Octets,
			Write: encoded("audit.txt", lined("", func(r record) string {
				return r.id() + "\t" + r.stamp() + "\t" + r.line + "\r"
			}), utf16LE),
		},
		{
			Name: "sqlserver/bcp-char", Document: bcp, Export: "bcp edge.dbo.audit out audit.txt -w", Keeps: Octets,
			Write: lined("audit.txt", func(r record) string { return r.id() + "\t" + r.stamp() + "\t" + r.line }),
		},
		{
			Name: "sqlserver/for-json", Document: forJSON, Export: whole, Keeps: Octets, Batch: true,
			Write: page{"audit.json", "[", ",", "]\n"}.of(rowObject(slashed)),
		},
		{
			Name: "sqlserver/for-xml", Export: whole, Keeps: Octets,
			Document: "SQL Server: FOR XML, https://learn.microsoft.com/en-us/sql/relational-databases/xml/for-xml-sql-server",
			Write: page{name: "audit.xml", foot: "\n"}.of(func(r record) string {
				return `<audit id="` + r.id() + `" body="` + xmlAttribute(r.line) + `"/>`
			}),
		},
		{
			Name: "sqlserver/sqlcmd-separated", Document: sqlcmd, Export: whole, Keeps: Octets,
			Write: page{name: "audit.txt", head: "id|body\n--|----\n"}.of(func(r record) string {
				return r.id() + "|" + r.line + "\n"
			}),
		},
		{
			Name: "sqlserver/sqlcmd", Document: sqlcmd, Export: whole, Keeps: Octets,
			Write: lined("audit.txt", func(r record) string { return fmt.Sprintf("%20d %s", r.n, r.line) }),
		},
		{
			Name: "sqlserver/sqlcmd-narrow", Document: sqlcmd, Export: whole, Keeps: Less,
			Loses: "sqlcmd cuts columns of variable length after 256 characters, unless -y 0 is given.",
			Write: sqlcmdNarrow,
		},
		{
			Name: "h2/script", Document: h2, Export: "SCRIPT TO 'audit.sql'", Keeps: Octets,
			Write: page{"audit.sql", `INSERT INTO "PUBLIC"."AUDIT" VALUES` + "\n", ",\n", ";\n"}.of(func(r record) string {
				return fmt.Sprintf("(%d, %s)", r.n, unicodeSQL(r.line))
			}),
		},
		{
			Name: "db2/export", Document: db2, Export: "EXPORT TO audit.del OF DEL SELECT * FROM audit", Keeps: Octets,
			Write: lined("audit.del", func(r record) string { return r.id() + "," + quoted(r.stamp()) + "," + quoted(r.line) }),
		},
	}
}

// sqlcmdNarrow has columns of one width.
func sqlcmdNarrow(l Log) Files {
	const limit = 256
	head := pad("id", 20) + " " + pad("body", limit) + "\n" +
		strings.Repeat("-", 20) + " " + strings.Repeat("-", limit) + "\n"
	return page{"audit.txt", head, "", fmt.Sprintf("\n(%d rows affected)\n", len(l.Lines))}.of(func(r record) string {
		text := []rune(r.line)
		return fmt.Sprintf("%20d %s\n", r.n, pad(string(text[:min(limit, len(text))]), limit))
	})(l)
}

// utf16LE is a text in UTF-16 with a byte order mark, as Windows writes it.
func utf16LE(text []byte) []byte {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(string(text))) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return out
}

// unicodeSQL is a literal of the SQL standard that is ASCII: U&'…'.
func unicodeSQL(text string) string {
	var out strings.Builder
	ascii := true
	for _, r := range text {
		switch {
		case r == '\\':
			out.WriteString(`\\`)
		case r == '\'':
			out.WriteString("''")
		case r < 0x20 || r > 0x7e && r < 0x10000:
			fmt.Fprintf(&out, `\%04x`, r)
			ascii = false
		case r > 0xffff:
			fmt.Fprintf(&out, `\+%06x`, r)
			ascii = false
		default:
			out.WriteRune(r)
		}
	}
	if ascii {
		return quoteSQL(text)
	}
	return "U&'" + out.String() + "'"
}
