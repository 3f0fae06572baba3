package producers

// python is programs that write by Python's own library, and by a few others.
var python = group{
	name:     "python",
	programs: []string{"python3 --version"},
	forms:    formsOf("python"),
}

// tables is Parquet and Avro by their reference libraries, DuckDB, Arrow and workbooks.
var tables = group{
	name: "tables",
	programs: []string{`python3 -c "import pyarrow; print('pyarrow', pyarrow.__version__)"`,
		`python3 -c "import fastavro; print('fastavro', fastavro.__version__)"`,
		`python3 -c "import duckdb; print('duckdb', duckdb.__version__)"`,
		`python3 -c "import openpyxl; print('openpyxl', openpyxl.__version__)"`},
	forms: formsOf("tables"),
}

// node is the loggers of Node.js.
var node = group{
	name:     "node",
	programs: []string{"node --version", logger("pino"), logger("winston"), logger("bunyan")},
	forms:    formsOf("node"),
}

// logger returns a command that prints the version of a package of npm.
func logger(name string) string {
	return `node -e "console.log('` + name + `', require('` + name + `/package.json').version)"`
}

func init() { groups = append(groups, python, tables, node) }
