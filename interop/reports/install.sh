#!/usr/bin/env bash
# Installs the readers of reports: install.sh FOLDER. Debian's packages if a program
# is missing, which needs root; Python's and Node.js's libraries and the schema of
# JUnit into the folder.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=interop/install.sh
source ../install.sh

need xmllint libxml2-utils
need cmark-gfm cmark-gfm
need chromium chromium
need node nodejs
need_python
install_debian
install_python
install_node
chmod +x "$folder/node/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool"

# The schema of Jenkins' xUnit plugin is part of pytest's source.
from_source pytest==8.3.4 junit-10.xsd
