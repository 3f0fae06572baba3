package producers

// sqlite is the shell of SQLite, and its files.
var sqlite = group{
	name:     "sqlite",
	programs: []string{"sqlite3 --version"},
	forms:    formsOf("sqlite"),
}

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
