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
	forms:    formsOf("redis"),
}

func init() { groups = append(groups, sqlite, redis) }
