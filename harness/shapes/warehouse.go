package shapes

import (
	"fmt"
	"strings"
)

// warehouseShapes are what analytical databases hand out.
func warehouseShapes() []Shape {
	const (
		bigquery  = "BigQuery: Exporting table data, https://cloud.google.com/bigquery/docs/exporting-data"
		snowflake = "Snowflake: Unloading data, https://docs.snowflake.com/en/user-guide/data-unload-considerations"
		redshift  = "Amazon Redshift: UNLOAD, https://docs.aws.amazon.com/redshift/latest/dg/r_UNLOAD.html"
		athena    = "Amazon Athena: Query results, https://docs.aws.amazon.com/athena/latest/ug/querying.html"
		trino     = "Trino: Command line interface, https://trino.io/docs/current/client/cli.html"
		duckdb    = "DuckDB: Output formats, https://duckdb.org/docs/stable/clients/cli/output_formats"
		unload    = "COPY INTO @stage FROM audit FILE_FORMAT = (TYPE = CSV FIELD_OPTIONALLY_ENCLOSED_BY = '\"')"
	)
	goHTML := spelling{html: true, colon: ":", comma: ","}
	return []Shape{
		{
			Name: "bigquery/json", Document: bigquery, Keeps: Octets, Batch: true,
			Export: "bq extract --destination_format=NEWLINE_DELIMITED_JSON audit gs://…",
			Write:  lined("audit.json", rowObject(goHTML)),
		},
		{
			Name: "bigquery/csv", Document: bigquery, Export: "bq extract audit gs://…", Keeps: Octets, Batch: true,
			Write: table("audit.csv", ",", csvCell),
		},
		{
			Name: "snowflake/csv", Document: snowflake, Export: unload, Keeps: Octets,
			Write: lined("data_0_0_0.csv", func(r record) string {
				return r.id() + "," + quoted(r.stamp()) + "," + quoted(r.line)
			}),
		},
		{
			Name: "snowflake/csv-unenclosed", Document: snowflake, Export: unload, Keeps: Octets,
			Write: lined("data_0_0_0.csv", func(r record) string {
				return r.id() + "," + r.stamp() + "," + strings.NewReplacer(`\`, `\\`, ",", `\,`).Replace(r.line)
			}),
		},
		{
			Name: "snowflake/variant", Document: snowflake, Export: "store the line as VARCHAR, not as VARIANT",
			Keeps: Values,
			Loses: "VARIANT orders members by name and drops repeated ones.",
			Write: lined("data_0_0_0.json", func(r record) string {
				return `{"ID":` + r.id() + `,"V":` + sorted.respell(r.line) + "}"
			}),
		},
		{
			Name: "redshift/unload", Document: redshift, Export: "UNLOAD … TO 's3://…' FORMAT JSON", Keeps: Octets,
			Write: lined("audit_0000_part_00", func(r record) string {
				return r.id() + "|" + r.stamp() + "|" + strings.NewReplacer(`\`, `\\`, "|", `\|`).Replace(r.line)
			}),
		},
		{
			Name: "redshift/unload-quotes", Document: redshift, Export: "UNLOAD … TO 's3://…' FORMAT JSON", Keeps: Octets,
			Write: lined("audit_0000_part_00", func(r record) string {
				text := strings.NewReplacer(`\`, `\\`, "|", `\|`, `"`, `\"`, "'", `\'`).Replace(r.line)
				return `"` + r.id() + `"|"` + r.stamp() + `"|"` + text + `"`
			}),
		},
		{
			Name: "redshift/unload-csv", Document: redshift, Export: "UNLOAD … TO 's3://…' FORMAT CSV HEADER",
			Keeps: Octets, Batch: true,
			Write: table("audit_0000_part_00", ",", csvCell),
		},
		{
			Name: "athena/csv", Document: athena, Export: "aws s3 cp s3://results/….csv .", Keeps: Octets, Batch: true,
			Write: table("audit.csv", ",", quoted),
		},
		{
			Name: "trino/csv", Document: trino, Export: "trino --execute 'SELECT * FROM audit' --output-format=JSON",
			Keeps: Octets,
			Write: lined("audit.csv", func(r record) string { return quoted(r.id()) + "," + quoted(r.line) }),
		},
		{
			Name: "trino/json", Document: trino, Export: "trino --execute 'SELECT * FROM audit' --output-format=JSON",
			Keeps: Octets,
			Batch: true, Write: lined("audit.json", rowObject(compact)),
		},
		{
			Name: "trino/vertical", Document: trino, Export: "trino --execute 'SELECT * FROM audit' --output-format=JSON",
			Keeps: Octets,
			Write: lined("audit.txt", func(r record) string {
				return fmt.Sprintf("-[ RECORD %d ]------\nid   | %d\nbody | %s", r.n, r.n, r.line)
			}),
		},
		{
			Name: "duckdb/csv", Document: duckdb, Export: "COPY audit TO 'audit.csv'", Keeps: Octets, Batch: true,
			Write: table("audit.csv", ",", csvCell),
		},
		{
			Name: "duckdb/json", Document: duckdb, Export: "COPY audit TO 'audit.json'", Keeps: Octets, Batch: true,
			Write: lined("audit.json", rowObject(compact)),
		},
		{
			Name: "duckdb/insert", Document: duckdb, Export: "COPY audit TO 'audit.json'", Keeps: Octets,
			Write: lined("audit.sql", func(r record) string {
				return fmt.Sprintf("INSERT INTO audit(id,received_at,body) VALUES(%d,'%s',%s);", r.n, r.stamp(), quoteSQL(r.line))
			}),
		},
		{
			Name: "duckdb/box", Document: duckdb, Export: "COPY audit TO 'audit.json'", Keeps: Less,
			Loses: "The box has the width of the terminal; longer values are cut.", Write: duckdbBox,
		},
	}
}

// rowObject writes the row of a table as an object.
func rowObject(s spelling) func(record) string {
	return func(r record) string {
		return s.object("id", s.quote(r.id()), "received_at", s.quote(r.stamp()), batchName, s.quote(r.batch), "body",
			s.quote(r.line))
	}
}

func duckdbBox(l Log) Files {
	const room = 60
	line := strings.Repeat("─", room+2)
	return page{"audit.txt", "┌───────┬" + line + "┐\n│  id   │ " + pad("body", room) +
		" │\n├───────┼" + line + "┤\n", "",
		"└───────┴" + line + "┘\n"}.of(func(r record) string {
		if text := []rune(r.line); len(text) > room {
			r.line = string(text[:room-1]) + "…"
		}
		return fmt.Sprintf("│ %5d │ %s │\n", r.n, pad(r.line, room))
	})(l)
}
