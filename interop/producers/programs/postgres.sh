# Starts or stops a server of PostgreSQL: postgres.sh start|stop FOLDER GENUINE ALTERED.
# It listens on a socket in the folder alone, and has a database for each journal.
set -eu
folder=$2
bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)

# The server refuses to run as root.
as() {
	if test "$(id -u)" = 0; then runuser -u postgres -- "$@"; else "$@"; fi
}
if test "$1" = stop; then
	as "$bin/pg_ctl" -s -D "$folder/data" -m immediate stop
	exit
fi
test "$(id -u)" != 0 || chown postgres "$folder"
cd "$folder"
as "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$folder/initdb"
as "$bin/pg_ctl" -s -w -D "$folder/data" -l "$folder/log" \
	-o "-c listen_addresses= -c unix_socket_directories='$folder' -c fsync=off" start
export PGHOST="$folder" PGUSER=postgres
for journal in "$3" "$4"; do
	name=$(basename "$(dirname "$journal")")
	psql -qd postgres -c "CREATE DATABASE $name"
	psql -qd "$name" -v ON_ERROR_STOP=1 <<-SQL
		CREATE TABLE lines(id serial PRIMARY KEY, at timestamptz DEFAULT '2026-03-02T09:00:00Z', line text);
		\\copy lines(line) FROM '$journal' (FORMAT csv, QUOTE E'\\002', DELIMITER E'\\001')
		CREATE TABLE docs AS SELECT id, line::jsonb AS doc FROM lines;
		CREATE TABLE raws AS SELECT id, convert_to(line, 'UTF8') AS raw FROM lines;
		CREATE TABLE columns AS SELECT id, line::jsonb->'body' AS body, line::jsonb->>'hash' AS hash,
			line::jsonb->>'key_id' AS key_id, line::jsonb->>'previous_hash' AS previous_hash,
			line::jsonb->>'signature' AS signature, line::jsonb->>'skip_hash' AS skip_hash FROM lines;
	SQL
done
