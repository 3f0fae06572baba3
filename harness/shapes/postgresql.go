package shapes

import (
	"fmt"
	"strings"
)

const (
	psqlPage     = "PostgreSQL: psql, https://www.postgresql.org/docs/current/app-psql.html"
	copyPage     = "PostgreSQL: COPY, https://www.postgresql.org/docs/current/sql-copy.html"
	pgDumpPage   = "PostgreSQL: pg_dump, https://www.postgresql.org/docs/current/app-pgdump.html"
	jsonbPage    = "PostgreSQL: JSON Types, https://www.postgresql.org/docs/current/datatype-json.html"
	byteaPage    = "PostgreSQL: Binary Data Types, https://www.postgresql.org/docs/current/datatype-binary.html"
	decodingPage = "PostgreSQL: test_decoding, https://www.postgresql.org/docs/current/test-decoding.html"
	wal2jsonPage = "wal2json: README, https://github.com/eulerto/wal2json"

	// copyOut is the export that loses least.
	copyOut = `psql -Atc "COPY audit TO STDOUT"`

	controls = "psql prints DEL and the control characters above it as \\u0080."
)

// postgresqlPrints are what psql shows.
func postgresqlPrints() []Shape {
	return []Shape{
		{
			Name: "postgresql/psql-aligned", Document: psqlPage, Export: copyOut, Keeps: Octets, Loses: controls,
			Write: psqlAligned,
		},
		{
			Name: "postgresql/psql-expanded", Document: psqlPage, Export: copyOut, Keeps: Octets, Loses: controls,
			Write: lined("expanded.txt", func(r record) string {
				return fmt.Sprintf("-[ RECORD %d ]%s\nid          | %d\nreceived_at | %s\nbody        | %s",
					r.n, strings.Repeat("-", 60), r.n, r.stamp(), r.line)
			}),
		},
		{
			Name: "postgresql/psql-unaligned", Document: psqlPage, Export: copyOut, Keeps: Octets,
			Write: func(l Log) Files {
				return page{"audit.txt", "id|received_at|body\n", "", fmt.Sprintf("(%d rows)\n", len(l.Lines))}.of(
					func(r record) string { return r.id() + "|" + r.stamp() + "|" + r.line + "\n" })(l)
			},
		},
		{
			Name: "postgresql/psql-html", Document: psqlPage, Export: copyOut, Keeps: Octets,
			Write: psqlHTML,
		},
		{
			Name: "postgresql/psql-csv", Document: psqlPage, Export: `psql --csv -c "SELECT * FROM audit"`, Keeps: Octets,
			Batch: true, Write: table("audit.csv", ",", csvCell),
		},
		{
			Name: "postgresql/jsonb", Document: jsonbPage, Export: "store the line as text, not as jsonb", Keeps: Values,
			Loses: "jsonb orders members by length and drops spaces and repeated names.",
			Write: lined("audit.txt", func(r record) string { return r.id() + "|" + byLength.respell(r.line) }),
		},
		{
			Name: "postgresql/bytea-hex", Document: byteaPage, Export: copyOut, Keeps: Octets,
			Write: lined("audit.txt", func(r record) string { return r.id() + `|\x` + hexText(r.line) }),
		},
		{
			Name: "postgresql/bytea-escape", Document: byteaPage, Export: `psql -c "SET bytea_output = hex" -c …`,
			Keeps: Octets,
			Write: lined("audit.txt", func(r record) string {
				return r.id() + "|" + octal(strings.ReplaceAll(r.line, `\`, `\\`))
			}),
		},
		{
			Name: "postgresql/row-to-json", Export: `psql -Atc "SELECT row_to_json(audit) FROM audit"`, Keeps: Octets,
			Batch:    true,
			Document: "PostgreSQL: JSON Functions, https://www.postgresql.org/docs/current/functions-json.html",
			Write: lined("audit.json", func(r record) string {
				return compact.object("id", r.id(), "received_at", compact.quote(r.iso()),
					batchName, compact.quote(r.batch), "body", compact.quote(r.line))
			}),
		},
	}
}

func psqlAligned(l Log) Files {
	widest := len("body")
	for _, line := range l.Lines {
		widest = max(widest, width(string(line)))
	}
	margin := (widest - len("body")) / 2
	head := " id |       received_at       | " + strings.Repeat(" ", margin) + pad("body", widest-margin) + " \n" +
		"----+-------------------------+-" + strings.Repeat("-", widest+1) + "\n"
	return page{"audit.txt", head, "", fmt.Sprintf("(%d rows)\n\n", len(l.Lines))}.of(func(r record) string {
		return fmt.Sprintf(" %2d | %s | %s\n", r.n, r.stamp(), r.line)
	})(l)
}

func psqlHTML(l Log) Files {
	return page{"audit.html", "<table border=\"1\">\n  <tr>\n    <th align=\"center\">id</th>\n" +
		"    <th align=\"center\">body</th>\n  </tr>\n", "", fmt.Sprintf("</table>\n<p>(%d rows)<br />\n</p>\n",
		len(l.Lines))}.of(
		func(r record) string {
			return "  <tr valign=\"top\">\n    <td align=\"right\">" + r.id() + "</td>\n    <td align=\"left\">" +
				xmlAttribute(r.line) + "</td>\n  </tr>\n"
		})(l)
}

// postgresqlDumps are what COPY, pg_dump and logical decoding write.
func postgresqlDumps() []Shape {
	return []Shape{
		{
			Name: "postgresql/copy-text", Document: copyPage, Export: copyOut, Keeps: Octets,
			Write: lined("audit.copy", copyRow),
		},
		{
			Name: "postgresql/copy-csv", Document: copyPage, Export: copyOut, Keeps: Octets,
			Write: lined("audit.csv", func(r record) string { return r.id() + "," + r.stamp() + "," + csvCell(r.line) }),
		},
		{
			Name: "postgresql/copy-csv-header", Document: copyPage, Keeps: Octets, Batch: true,
			Export: `psql -c "COPY audit TO STDOUT (FORMAT csv, HEADER, FORCE_QUOTE *)"`,
			Write:  table("audit.csv", ",", quoted),
		},
		{
			Name: "postgresql/copy-text-header", Document: copyPage, Keeps: Octets,
			Export: `psql -c "COPY audit TO STDOUT (HEADER)"`,
			Write:  page{name: "audit.copy", head: "id\treceived_at\tbody\n", between: "\n", foot: "\n"}.of(copyRow),
		},
		{
			Name: "postgresql/pg_dump", Document: pgDumpPage, Export: "pg_dump --table=audit", Keeps: Octets,
			Write: page{
				"audit.sql", pgDumpHead + "COPY public.audit (id, received_at, body) FROM stdin;\n",
				"\n", "\n\\.\n\n\n--\n-- PostgreSQL database dump complete\n--\n\n",
			}.of(copyRow),
		},
		{
			Name: "postgresql/pg_dump-inserts", Document: pgDumpPage, Export: "pg_dump --table=audit --inserts",
			Keeps: Octets,
			Write: page{"audit.sql", pgDumpHead, "", "\n\n--\n-- PostgreSQL database dump complete\n--\n\n"}.of(
				func(r record) string {
					return fmt.Sprintf("INSERT INTO public.audit VALUES (%d, '%s+00', %s);\n", r.n, r.stamp(), quoteSQL(r.line))
				}),
		},
		{
			Name: "postgresql/pg_dump-jsonb", Document: jsonbPage, Export: "store the line as text, not as jsonb",
			Keeps: Values,
			Loses: "jsonb orders members by length and drops spaces and repeated names.",
			Write: page{
				"audit.sql", pgDumpHead + "COPY public.audit (id, received_at, body) FROM stdin;\n",
				"\n", "\n\\.\n\n\n--\n-- PostgreSQL database dump complete\n--\n\n",
			}.of(func(r record) string {
				r.line = byLength.respell(r.line)
				return copyRow(r)
			}),
		},
		{
			Name: "postgresql/pg_dump-bytea", Document: byteaPage, Export: "pg_dump --table=audit", Keeps: Octets,
			Write: page{
				"audit.sql", pgDumpHead + "COPY public.audit (id, received_at, body) FROM stdin;\n",
				"\n", "\n\\.\n\n\n--\n-- PostgreSQL database dump complete\n--\n\n",
			}.of(func(r record) string { return r.id() + "\t" + r.stamp() + "+00\t\\\\x" + hexText(r.line) }),
		},
		{
			Name: "postgresql/test_decoding", Document: decodingPage, Keeps: Octets,
			Export: `psql -Atc "SELECT data FROM pg_logical_slot_get_changes('audit', NULL, NULL)"`,
			Write: page{"changes.txt", "BEGIN 693\n", "\n", "\nCOMMIT 693\n"}.of(func(r record) string {
				return fmt.Sprintf("table public.audit: INSERT: id[bigint]:%d received_at[timestamp with time zone]:'%s+00' "+
					"body[text]:%s",
					r.n, r.stamp(), quoteSQL(r.line))
			}),
		},
		{
			Name: "postgresql/wal2json", Document: wal2jsonPage,
			Export: "pg_recvlogical --slot audit --plugin wal2json --start", Keeps: Octets,
			Write: page{"changes.json", `{"change":[`, ",", "]}\n"}.of(func(r record) string {
				return `{"kind":"insert","schema":"public","table":"audit","columnnames":["id","received_at","body"],` +
					`"columntypes":["bigint","timestamp with time zone","text"],"columnvalues":[` +
					r.id() + `,"` + r.stamp() + `+00",` + compact.quote(r.line) + `]}`
			}),
		},
		{
			Name: "postgresql/wal2json-2", Document: wal2jsonPage, Keeps: Octets,
			Export: "pg_recvlogical --slot audit --plugin wal2json --option format-version=2 --start",
			Write: page{"changes.json", `{"action":"B"}` + "\n", "\n", "\n" + `{"action":"C"}` + "\n"}.of(func(r record) string {
				return `{"action":"I","schema":"public","table":"audit","columns":[{"name":"id","type":"bigint","value":` + r.id() +
					`},{"name":"body","type":"text","value":` + compact.quote(r.line) + `}]}`
			}),
		},
	}
}

// copyRow is a row of COPY in its text form.
func copyRow(r record) string { return r.id() + "\t" + r.stamp() + "+00\t" + copyText(r.line) }

const pgDumpHead = `--
-- PostgreSQL database dump
--

SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;

--
-- Name: audit; Type: TABLE; Schema: public; Owner: edge
--

CREATE TABLE public.audit (
    id bigint NOT NULL,
    received_at timestamp with time zone,
    body text
);

--
-- Data for Name: audit; Type: TABLE DATA; Schema: public; Owner: edge
--

`
