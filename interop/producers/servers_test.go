package producers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// postgres is a server of PostgreSQL with the journal in columns of several types.
var postgres = group{
	name: "postgresql",
	programs: []string{"$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)/postgres --version",
		"psql --version", "pg_dump --version"},
	start: server("postgres.sh", "PGHOST=FOLDER", "PGUSER=postgres"),
	forms: []form{
		{name: "copy-text", run: `psql -qc 'COPY lines TO STDOUT' > $OUT/lines.txt`},
		{name: "copy-csv", run: `psql -qc 'COPY lines TO STDOUT (FORMAT csv, HEADER)' > $OUT/lines.csv`},
		{name: "copy-csv-quoted", run: `psql -qc 'COPY lines TO STDOUT (FORMAT csv, FORCE_QUOTE *)' > $OUT/lines.csv`},
		{name: "copy-csv-escaped",
			run: `psql -qc "COPY lines TO STDOUT (FORMAT csv, HEADER, ESCAPE '\\', DELIMITER ';')" > $OUT/lines.csv`},
		{name: "copy-binary", run: `psql -qc 'COPY lines TO STDOUT (FORMAT binary)' > $OUT/lines.bin`, cut: inside},
		{name: "copy-jsonb", run: `psql -qc 'COPY docs TO STDOUT' > $OUT/docs.txt`, keeps: values},
		{name: "copy-jsonb-csv", keeps: values,
			run: `psql -qc 'COPY docs TO STDOUT (FORMAT csv, HEADER)' > $OUT/docs.csv`},
		{name: "copy-json", run: `psql -qc 'COPY (SELECT id, line::json FROM lines) TO STDOUT' > $OUT/docs.txt`},
		{name: "copy-bytea", run: `psql -qc 'COPY raws TO STDOUT' > $OUT/raws.txt`, cut: inside},
		{name: "copy-bytea-escape",
			run: `psql -qc "SET bytea_output = 'escape'" -c 'COPY raws TO STDOUT' > $OUT/raws.txt`},
		{name: "copy-bytea-base64", cut: inside,
			run: `psql -qc "COPY (SELECT id, encode(raw, 'base64') FROM raws) TO STDOUT" > $OUT/raws.txt`},
		{name: "copy-columns", keeps: values,
			run: `psql -qc 'COPY columns TO STDOUT (FORMAT csv, HEADER)' > $OUT/columns.csv`},
		{name: "row-to-json", run: `psql -qAtc 'SELECT row_to_json(l) FROM lines l' > $OUT/lines.json`},
		{name: "row-to-json-columns", keeps: values,
			run: `psql -qAtc 'SELECT row_to_json(c) FROM columns c' > $OUT/columns.json`},
		{name: "json-agg", run: `psql -qAtc 'SELECT json_agg(d) FROM docs d' > $OUT/docs.json`, keeps: values},
		{name: "jsonb-pretty", run: `psql -qAtc 'SELECT jsonb_pretty(doc) FROM docs' > $OUT/docs.json`, keeps: values},
		{name: "psql", run: `psql -qc 'SELECT * FROM lines' > $OUT/lines.txt`},
		{name: "psql-jsonb", run: `psql -qc 'SELECT * FROM docs' > $OUT/docs.txt`, keeps: values},
		{name: "psql-unaligned", run: `psql -qAc 'SELECT * FROM lines' > $OUT/lines.txt`},
		{name: "psql-bare", run: `psql -qAtc 'SELECT line FROM lines' > $OUT/lines.txt`},
		{name: "psql-expanded", run: `psql -qxc 'SELECT * FROM lines' > $OUT/lines.txt`},
		{name: "psql-unicode", run: `psql -q -P border=2 -P linestyle=unicode -c 'SELECT * FROM lines' > $OUT/lines.txt`},
		{name: "psql-csv", run: `psql -q --csv -c 'SELECT * FROM lines' > $OUT/lines.csv`},
		{name: "psql-html", run: `psql -qHc 'SELECT * FROM lines' > $OUT/lines.html`},
		{name: "psql-asciidoc", run: `psql -q -P format=asciidoc -c 'SELECT * FROM lines' > $OUT/lines.adoc`},
		{name: "psql-latex", keeps: broken, cut: never,
			run:   `psql -q -P format=latex -c 'SELECT * FROM lines' > $OUT/lines.tex`,
			loses: "LaTeX's own spelling of braces and backslashes: use COPY"},
		{name: "psql-troff", keeps: broken, cut: never,
			run:   `psql -q -P format=troff-ms -c 'SELECT * FROM lines' > $OUT/lines.ms`,
			loses: "troff's own spelling of backslashes: use COPY"},
		{name: "psql-wrapped", keeps: broken, cut: never,
			run:   `psql -q -P format=wrapped -P columns=100 -c 'SELECT * FROM lines' > $OUT/lines.txt`,
			loses: "psql breaks cells to fit the columns: use COPY"},
		{name: "xml", run: `psql -qAtc "SELECT table_to_xml('lines', true, false, '')" > $OUT/lines.xml`},
		{name: "dump", run: `pg_dump -t lines > $OUT/dump.sql`},
		{name: "dump-inserts", run: `pg_dump --inserts -t lines > $OUT/dump.sql`},
		{name: "dump-column-inserts", run: `pg_dump --column-inserts --rows-per-insert=5 -t lines > $OUT/dump.sql`},
		{name: "dump-jsonb", run: `pg_dump -t docs > $OUT/dump.sql`, keeps: values},
		{name: "dump-jsonb-inserts", run: `pg_dump --inserts -t docs > $OUT/dump.sql`, keeps: values},
		{name: "dump-bytea", run: `pg_dump -t raws > $OUT/dump.sql`, cut: inside},
		{name: "dump-bytea-inserts", run: `pg_dump --inserts -t raws > $OUT/dump.sql`, cut: inside},
		{name: "dump-gzip", run: `pg_dump -Z 6 -t lines > $OUT/dump.sql.gz`, cut: inside},
		{name: "dump-tar", run: `pg_dump -Ft -t lines > $OUT/dump.tar`, keeps: less,
			loses: "the table of contents is named, and leaves the verdict open: pg_dump -Fp"},
		{name: "dump-folder", run: `pg_dump -Fd -t lines -f $OUT/dump`, keeps: less,
			loses: "the table of contents is named, and leaves the verdict open: pg_dump -Fp", cut: inside},
		{name: "dump-folder-plain", run: `pg_dump -Fd -Z 0 -t lines -f $OUT/dump`, keeps: less,
			loses: "the table of contents is named, and leaves the verdict open: pg_dump -Fp"},
		{name: "dump-custom", run: `pg_dump -Fc -t lines > $OUT/dump.pgdump`, keeps: sealed, cut: never,
			loses: "pg_restore -f - writes it as SQL"},
	},
}

// mariadb is a server of MariaDB.
var mariadb = group{
	name:     "mariadb",
	programs: []string{"mariadbd --version", "mariadb --version", "mariadb-dump --version"},
	start:    server("mariadb.sh", "MYSQL_HOME=FOLDER"),
	forms: []form{
		{name: "dump", run: `mariadb-dump $VARIANT audit > $OUT/dump.sql`},
		{name: "dump-rows", run: `mariadb-dump --skip-extended-insert --complete-insert $VARIANT audit > $OUT/dump.sql`},
		{name: "dump-xml", run: `mariadb-dump --xml $VARIANT audit > $OUT/dump.xml`},
		{name: "dump-blob", run: `mariadb-dump --hex-blob $VARIANT raws > $OUT/dump.sql`, cut: inside},
		{name: "dump-blob-escaped", run: `mariadb-dump --skip-hex-blob $VARIANT raws > $OUT/dump.sql`},
		{name: "dump-tab", run: `mariadb-dump --tab=$OUT $VARIANT audit`},
		{name: "dump-tab-csv",
			run: `mariadb-dump --tab=$OUT --fields-terminated-by=, --fields-enclosed-by='"' $VARIANT audit`},
		{name: "into-outfile", run: `mariadb $VARIANT -e "SELECT * FROM audit INTO OUTFILE '$OUT/audit.txt'"`},
		{name: "into-outfile-csv",
			run: `mariadb $VARIANT -e "SELECT * FROM audit INTO OUTFILE '$OUT/audit.csv'
				FIELDS TERMINATED BY ',' ENCLOSED BY '\"' ESCAPED BY ''"`},
		{name: "batch", run: `mariadb -B $VARIANT -e 'SELECT * FROM audit' > $OUT/audit.tsv`},
		{name: "batch-raw", run: `mariadb -Br $VARIANT -e 'SELECT * FROM audit' > $OUT/audit.tsv`},
		{name: "table", run: `mariadb -t $VARIANT -e 'SELECT * FROM audit' > $OUT/audit.txt`},
		{name: "vertical", run: `mariadb -E $VARIANT -e 'SELECT * FROM audit' > $OUT/audit.txt`},
		{name: "html", run: `mariadb -H $VARIANT -e 'SELECT * FROM audit' > $OUT/audit.html`},
		{name: "xml", run: `mariadb -X $VARIANT -e 'SELECT * FROM audit' > $OUT/audit.xml`},
		{name: "json",
			run: `mariadb -Br -N $VARIANT -e "SELECT JSON_OBJECT('id', id, 'line', line) FROM audit" > $OUT/audit.json`},
		{name: "json-array",
			run: `mariadb -Br -N $VARIANT -e "SET group_concat_max_len = 1 << 30; SELECT JSON_ARRAYAGG(line) FROM audit" \
			> $OUT/audit.json`},
		{name: "json-detailed", keeps: values,
			run: `mariadb -Br -N $VARIANT -e "SELECT JSON_DETAILED(line) FROM audit" > $OUT/audit.json`},
	},
}

// server starts a server by a script, which stops it when the test ends. Its clients
// have the variables in their environment; FOLDER stands for the server's folder.
func server(script string, variables ...string) func(*testing.T, *bench) []string {
	return func(t *testing.T, b *bench) (environment []string) {
		// Not below the test's own folder, which other users may not enter.
		folder := must.Get(os.MkdirTemp("", "producers-"))(t)
		if err := os.Chmod(folder, 0o755); err != nil { // #nosec G302
			t.Fatal(err)
		}
		do := func(what string) {
			shell(t, t.TempDir(), nil, filepath.Join(programs(t), script), what, folder,
				b.path("genuine"), b.path("altered"))
		}
		t.Cleanup(func() {
			do("stop")
			os.RemoveAll(folder)
		})
		do("start")
		for _, v := range variables {
			environment = append(environment, strings.ReplaceAll(v, "FOLDER", folder))
		}
		return environment
	}
}

func init() { groups = append(groups, postgres, mariadb) }
