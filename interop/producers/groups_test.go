package producers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// groups are all producers. Their forms are in the folder forms.
var groups = []group{
	{name: "sqlite", programs: []string{"sqlite3 --version"}},
	{name: "redis", programs: []string{"redis-server --version", "redis-cli --version"}},
	{name: "journald", programs: []string{"/usr/lib/systemd/systemd-journal-remote --version", "journalctl --version"}},
	{name: "rsyslog", programs: []string{"rsyslogd -v"}},
	{name: "logrotate", programs: []string{"logrotate --version"}},
	{name: "python", programs: []string{"python3 --version"}},
	{name: "tables", programs: []string{`python3 -c "import pyarrow; print('pyarrow', pyarrow.__version__)"`,
		`python3 -c "import fastavro; print('fastavro', fastavro.__version__)"`,
		`python3 -c "import duckdb; print('duckdb', duckdb.__version__)"`,
		`python3 -c "import openpyxl; print('openpyxl', openpyxl.__version__)"`}},
	{name: "node", programs: []string{"node --version", logger("pino"), logger("winston"), logger("bunyan")}},
	{name: "postgresql", programs: []string{"$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)/postgres --version",
		"psql --version", "pg_dump --version"},
		start: server("postgres.sh", "PGHOST=FOLDER", "PGUSER=postgres")},
	{name: "mariadb", programs: []string{"mariadbd --version", "mariadb --version", "mariadb-dump --version"},
		start: server("mariadb.sh", "MYSQL_HOME=FOLDER")},
	{name: "pack", programs: []string{"gzip --version", "bzip2 --version < /dev/null", "xz --version", "zstd --version",
		"lz4 --version",
		"tar --version", "zip -v", "7zz | sed -n 2p", "cpio --version", "ar --version"}},
	{name: "text", programs: []string{"grep --version", "diff --version", "sed --version", "base64 --version", "xxd -v",
		"hexdump --version", "logger --version", "uuencode --version", "iconv --version", "bash --version"}},
	{name: "jq", programs: []string{"jq --version"}},
}

// logger returns a command that prints the version of a package of npm.
func logger(name string) string {
	return `node -e "console.log('` + name + `', require('` + name + `/package.json').version)"`
}

// server starts a server by a script, which stops it when the test ends. Its clients have the
// variables in their environment, with the server's folder for FOLDER.
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
