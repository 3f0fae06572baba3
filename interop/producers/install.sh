#!/usr/bin/env bash
# Installs what the producers need: install.sh FOLDER. Debian's packages if a program
# is missing, which needs root; Python's and Node.js's libraries into the folder.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=interop/install.sh
source ../install.sh

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
need_python

# No package starts a server of its own, and PostgreSQL makes none.
if test ${#packages[@]} -gt 0; then
	export RUNLEVEL=1
	mkdir -p /etc/postgresql-common
	test -e /etc/postgresql-common/createcluster.conf ||
		echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
fi
install_debian
install_python
install_node
