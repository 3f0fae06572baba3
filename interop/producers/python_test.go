package producers

import (
	"slices"
)

// python is programs that write by Python's own library, and by a few others.
var python = group{
	name:     "python",
	programs: []string{"python3 --version"},
	forms: slices.Concat(ofPython("python.py", octets, atEvent,
		"json-strings", "json-four-deep", "repr", "repr-bytes", "repr-record", "pprint", "csv-excel", "csv-tabs", "csv-unix",
		"csv-semicolons", "csv-escaped", "csv-apostrophes", "logging", "logging-bare", "logging-json", "logging-repr",
		"html", "xml", "xml-attribute", "xml-cdata", "url", "url-form", "shell", "plist", "mongoexport", "yaml",
		"yaml-documents"),
		ofPython("python.py", values, atEvent,
			"json-list", "json-indented", "json-lines", "mongoexport-event", "repr-event", "yaml-events", "yaml-items"),
		ofPython("python.py", octets, inside,
			"base64-lines", "base64-url", "base64-mime", "gzip-base64", "hex", "gzip", "bz2", "xz", "zlib",
			"tar-pax", "mail", "mail-base64", "mail-attached", "mail-attached-quoted", "mbox", "bson", "bson-event",
			"bson-binary", "msgpack", "msgpack-event", "msgpack-fluent", "snappy", "pickle"),
		ofPython("python.py", broken, never, "pprint-narrow", "yaml-folded", "plist-binary"),
		ofPython("python.py", sealed, never, "zip-lzma", "lzma")),
}

// tables is Parquet and Avro by their reference libraries, DuckDB, Arrow and workbooks.
var tables = group{
	name: "tables",
	programs: []string{`python3 -c "import pyarrow; print('pyarrow', pyarrow.__version__)"`,
		`python3 -c "import fastavro; print('fastavro', fastavro.__version__)"`,
		`python3 -c "import duckdb; print('duckdb', duckdb.__version__)"`,
		`python3 -c "import openpyxl; print('openpyxl', openpyxl.__version__)"`},
	forms: slices.Concat(ofPython("tables.py", sealed, never,
		"parquet:none", "parquet:snappy", "parquet:zstd", "parquet:gzip", "parquet:brotli", "parquet:lz4", "parquet:binary",
		"parquet:large", "parquet:dictionary", "parquet:plain", "parquet:pages", "parquet:delta", "parquet:delta-lengths",
		"parquet:nested", "parquet:nulls", "parquet:dataset", "parquet:event"),
		ofPython("tables.py", octets, inside, "avro:null", "avro:deflate", "avro:snappy", "avro:bzip2",
			"avro:xz", "avro:zstandard", "avro:null:bytes", "avro:null:union", "avro:deflate:nested",
			"xlsx:write-only", "xlsx:usual"),
		duckdb),
}

// duckdb are the forms that DuckDB writes.
var duckdb = []form{
	{name: "duckdb-csv", run: duck(`COPY audit TO 'OUT/audit.csv'`)},
	{name: "duckdb-tsv", run: duck(`COPY audit TO 'OUT/audit.tsv' (DELIMITER '\t', HEADER false)`)},
	{name: "duckdb-json", run: duck(`COPY audit TO 'OUT/audit.json'`)},
	{name: "duckdb-json-array", run: duck(`COPY audit TO 'OUT/audit.json' (ARRAY true)`)},
	{name: "duckdb-json-column", run: duck(`COPY docs TO 'OUT/docs.json'`)},
	{name: "duckdb-parquet", run: duck(`COPY audit TO 'OUT/audit.parquet'`), keeps: sealed, cut: never,
		loses: "read_parquet of DuckDB reads it"},
	{name: "duckdb-parquet-zstd", keeps: sealed, cut: never, loses: "read_parquet of DuckDB reads it",
		run: duck(`COPY docs TO 'OUT/docs.parquet' (COMPRESSION zstd, PARQUET_VERSION v2)`)},
	{name: "duckdb-export", run: duck(`EXPORT DATABASE 'OUT/export'`), cut: never},
	{name: "duckdb-export-parquet", run: duck(`EXPORT DATABASE 'OUT/export' (FORMAT parquet)`), keeps: sealed, cut: never,
		loses: "read_parquet of DuckDB reads it"},
	{name: "duckdb-file", run: `python3 $PROGRAMS/tables.py duckdb-file $IN $OUT`, keeps: broken, cut: never,
		loses: "EXPORT DATABASE writes it as files"},
	{name: "arrow-csv", run: `python3 $PROGRAMS/tables.py arrow:csv $IN $OUT`},
	{name: "arrow-feather", run: `python3 $PROGRAMS/tables.py arrow:feather $IN $OUT`, keeps: sealed, cut: never,
		loses: "pyarrow writes it as CSV"},
	{name: "arrow-stream", run: `python3 $PROGRAMS/tables.py arrow:ipc $IN $OUT`, cut: inside},
	{name: "arrow-orc", run: `python3 $PROGRAMS/tables.py arrow:orc $IN $OUT`, keeps: sealed, cut: never,
		loses: "pyarrow writes it as CSV"},
}

func duck(statement string) string {
	return `python3 $PROGRAMS/tables.py "duckdb:` + statement + `" $IN $OUT`
}

// ofPython are the forms of a script that keep the same.
func ofPython(script string, k keeps, c cut, names ...string) (forms []form) {
	for _, name := range names {
		run := `python3 $PROGRAMS/` + script + ` ` + name + ` $IN $OUT`
		forms = append(forms, form{name: name, run: run, keeps: k, cut: c})
	}
	return forms
}

func init() { groups = append(groups, python, tables) }

// node is the loggers of Node.js.
var node = group{
	name:     "node",
	programs: []string{"node --version", logger("pino"), logger("winston"), logger("bunyan")},
	forms: append(ofNode(octets, "pino-message", "winston-json", "winston-simple", "winston-print", "winston-logstash",
		"bunyan-message", "stringify-twice", "inspect-strings"),
		append(ofNode(values, "pino-field", "pino-merged", "winston-timestamp", "bunyan-field",
			"stringify", "stringify-indented"),
			form{name: "inspect", run: `node $PROGRAMS/node.cjs inspect $IN $OUT`, keeps: broken, cut: never,
				loses: "console.log breaks strings over lines and is no JSON: JSON.stringify"})...),
}

// logger returns a command that prints the version of a package of npm.
func logger(name string) string {
	return `node -e "console.log('` + name + `', require('` + name + `/package.json').version)"`
}

// ofNode are the forms of the script that keep the same.
func ofNode(k keeps, names ...string) (forms []form) {
	for _, name := range names {
		forms = append(forms, form{name: name, run: `node $PROGRAMS/node.cjs ` + name + ` $IN $OUT`, keeps: k})
	}
	return forms
}

func init() { groups = append(groups, node) }
