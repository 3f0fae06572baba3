#!/usr/bin/env bash
# Installs Spark for the test: install.sh FOLDER. Java of Debian if there is none, which
# needs root; PySpark into the folder, a download of 500 MB.
set -euo pipefail
cd "$(dirname "$0")"
folder=$1

packages=()
command -v java >/dev/null || packages+=(default-jre-headless)
command -v python3 >/dev/null || packages+=(python3)
python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)

if test ${#packages[@]} -gt 0; then
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi

test -x "$folder/python/bin/python" || python3 -m venv "$folder/python"
"$folder/python/bin/pip" install -q --disable-pip-version-check --no-cache-dir -r requirements.txt
