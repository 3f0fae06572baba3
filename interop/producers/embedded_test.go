package producers

// sqlite is the shell of SQLite, and its files.
var sqlite = group{
	name:     "sqlite",
	programs: []string{"sqlite3 --version"},
	forms: []form{
		{name: "database", run: lite + `cp audit.db $OUT`, cut: inside},
		{name: "database-blob", cut: inside,
			run: lite + `sqlite3 audit.db 'CREATE TABLE b(raw BLOB); INSERT INTO b SELECT CAST(line AS BLOB) FROM audit;
				DROP TABLE audit; VACUUM'; cp audit.db $OUT`},
		{name: "database-small-pages", cut: inside,
			run: lite + `sqlite3 audit.db 'PRAGMA page_size=512; VACUUM'; cp audit.db $OUT`},
		{name: "database-utf-16", cut: inside,
			run: `sqlite3 audit.db "PRAGMA encoding='UTF-16le'"; ` + lite + `cp audit.db $OUT`},
		{name: "database-columns", keeps: values, cut: inside,
			run: lite + `sqlite3 audit.db "CREATE TABLE events AS SELECT line->'$.body' body, line->>'$.hash' hash,
				line->>'$.key_id' key_id, line->>'$.previous_hash' previous_hash, line->>'$.signature' signature,
				line->>'$.skip_hash' skip_hash FROM audit; DROP TABLE audit; VACUUM"; cp audit.db $OUT`},
		{name: "archive", run: `cp $IN journal.ndjson; sqlite3 $OUT/logs.sqlar -Ac journal.ndjson`, cut: inside},
		{name: "dump", run: lite + `sqlite3 audit.db .dump > $OUT/audit.sql`},
		{name: "dump-blob", cut: inside,
			run: lite + `sqlite3 audit.db 'UPDATE audit SET line = CAST(line AS BLOB)' .dump > $OUT/audit.sql`},
		{name: "json", run: lite + `sqlite3 -json audit.db 'SELECT * FROM audit' > $OUT/audit.json`},
		{name: "csv", run: lite + `sqlite3 -csv -header audit.db 'SELECT * FROM audit' > $OUT/audit.csv`},
		{name: "csv-without-header", run: lite + `sqlite3 -csv audit.db 'SELECT * FROM audit' > $OUT/audit.csv`},
		{name: "tabs", run: lite + `sqlite3 -tabs -header audit.db 'SELECT * FROM audit' > $OUT/audit.tsv`},
		{name: "insert", run: lite + `sqlite3 audit.db '.mode insert audit' 'SELECT * FROM audit' > $OUT/audit.sql`},
		{name: "list", run: lite + `sqlite3 audit.db 'SELECT * FROM audit' > $OUT/audit.txt`},
		{name: "line", run: lite + `sqlite3 -line audit.db 'SELECT * FROM audit' > $OUT/audit.txt`},
		{name: "quote", run: lite + `sqlite3 -quote audit.db 'SELECT * FROM audit' > $OUT/audit.txt`},
		{name: "html", run: lite + `sqlite3 -html audit.db 'SELECT * FROM audit' > $OUT/audit.html`},
		{name: "tcl", run: lite + `sqlite3 audit.db '.mode tcl' 'SELECT * FROM audit' > $OUT/audit.tcl`},
		{name: "ascii", run: lite + `sqlite3 -ascii audit.db 'SELECT * FROM audit' > $OUT/audit.txt`},
		{name: "column", run: lite + `sqlite3 audit.db ".mode column --wrap 0" "SELECT * FROM audit" > $OUT/audit.txt`},
		{name: "table", run: lite + `sqlite3 audit.db ".mode table --wrap 0" "SELECT * FROM audit" > $OUT/audit.txt`},
		{name: "box", run: lite + `sqlite3 audit.db ".mode box --wrap 0" "SELECT * FROM audit" > $OUT/audit.txt`},
		{name: "markdown", run: lite + `sqlite3 audit.db ".mode markdown --wrap 0" "SELECT * FROM audit" > $OUT/audit.md`},
		{name: "box-wrapped", run: lite + `sqlite3 -box audit.db 'SELECT * FROM audit' > $OUT/audit.txt`, cut: inside},
	},
}

// lite makes a database with a row for each line.
const lite = `
sqlite3 audit.db 'CREATE TABLE audit(id INTEGER PRIMARY KEY, at TEXT, line TEXT)' 'CREATE TABLE i(line)' \
	'.mode ascii' '.separator "\001" "\n"' ".import $IN i" \
	"INSERT INTO audit(at, line) SELECT '2026-03-02T09:00:00Z', line FROM i" 'DROP TABLE i' VACUUM
`

// redis is a server with a list and a stream.
var redis = group{
	name:     "redis",
	programs: []string{"redis-server --version", "redis-cli --version"},
	forms: []form{
		{name: "append-only-file",
			run: served(`cp -r data/appendonlydir $OUT; rm -f $OUT/appendonlydir/*.{rdb,manifest}`,
				"--appendonly yes --appendfsync always --aof-use-rdb-preamble no")},
		{name: "list", run: served(`redis-cli -s sock LRANGE audit 0 -1 > $OUT/audit.txt`, "")},
		{name: "list-quoted", run: served(`redis-cli -s sock --no-raw LRANGE audit 0 -1 > $OUT/audit.txt`, "")},
		{name: "list-csv", run: served(`redis-cli -s sock --csv LRANGE audit 0 -1 > $OUT/audit.csv`, "")},
		{name: "list-json", run: served(`redis-cli -s sock --json LRANGE audit 0 -1 > $OUT/audit.json`, "")},
		{name: "stream", run: served(`redis-cli -s sock XRANGE events - + > $OUT/events.txt`, "")},
		{name: "stream-json", run: served(`redis-cli -s sock --json XRANGE events - + > $OUT/events.json`, "")},
		{name: "dump", keeps: sealed, cut: never,
			run:   served(`redis-cli -s sock --rdb $OUT/dump.rdb > said`, "--rdbcompression yes"),
			loses: "a snapshot of memory: redis-cli writes its lists and streams"},
	},
}

// served runs a server with the journal in it.
func served(use, options string) string {
	return `mkdir data
redis-server --port 0 --unixsocket $PWD/sock --dir $PWD/data --daemonize no --save '' ` + options + ` > said &
for i in $(seq 100); do redis-cli -s sock PING > pong 2>&1 && break; sleep 0.05; done
while IFS= LC_ALL=C read -r line; do
	LC_ALL=C
	printf '*3\r\n$5\r\nRPUSH\r\n$5\r\naudit\r\n$%d\r\n%s\r\n' ${#line} "$line"
	printf '*5\r\n$4\r\nXADD\r\n$6\r\nevents\r\n$1\r\n*\r\n$4\r\nline\r\n$%d\r\n%s\r\n' ${#line} "$line"
done < $IN | redis-cli -s sock --pipe > said
` + use + `
redis-cli -s sock SHUTDOWN NOSAVE || true; wait
`
}

func init() { groups = append(groups, sqlite, redis) }
