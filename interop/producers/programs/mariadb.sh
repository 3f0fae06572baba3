# Starts or stops a server of MariaDB: mariadb.sh start|stop FOLDER GENUINE ALTERED.
# It listens on a socket in the folder alone, and has a database for each journal.
set -eu
folder=$2
export MYSQL_HOME="$folder"
if test "$1" = stop; then
	mariadb-admin shutdown
	exit
fi
user=$(id -un)
printf '[client]\nsocket=%s\nuser=root\ndefault-character-set=utf8mb4\n' "$folder/sock" >"$folder/my.cnf"
mariadb-install-db --no-defaults --user="$user" --datadir="$folder/data" --skip-test-db \
	--auth-root-authentication-method=normal >"$folder/install"
setsid mariadbd --no-defaults --user="$user" --datadir="$folder/data" --socket="$folder/sock" --skip-networking \
	--pid-file="$folder/pid" --character-set-server=utf8mb4 >"$folder/log" 2>&1 &
for _ in $(seq 300); do
	mariadb-admin -s ping >"$folder/ping" 2>&1 && break
	sleep 0.1
done
for journal in "$3" "$4"; do
	name=$(basename "$(dirname "$journal")")
	mariadb --local-infile <<-SQL
		CREATE DATABASE \`$name\`;
		USE \`$name\`;
		CREATE TABLE audit(id INT AUTO_INCREMENT PRIMARY KEY, at DATETIME DEFAULT '2026-03-02 09:00:00', line LONGTEXT);
		LOAD DATA LOCAL INFILE '$journal' INTO TABLE audit CHARACTER SET utf8mb4
			FIELDS TERMINATED BY '\\x01' ESCAPED BY '' (line);
		CREATE TABLE raws(id INT PRIMARY KEY, raw LONGBLOB) AS SELECT id, CAST(line AS BINARY) AS raw FROM audit;
	SQL
done
