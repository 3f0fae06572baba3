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
	forms: formsOf("postgresql"),
}

// mariadb is a server of MariaDB.
var mariadb = group{
	name:     "mariadb",
	programs: []string{"mariadbd --version", "mariadb --version", "mariadb-dump --version"},
	start:    server("mariadb.sh", "MYSQL_HOME=FOLDER"),
	forms:    formsOf("mariadb"),
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

func init() { groups = append(groups, postgres, mariadb) }
