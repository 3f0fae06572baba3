#!/usr/bin/env bash
# Installs what judges the files for pipelines: install.sh FOLDER. Debian's packages if
# a program is missing, which needs root; Python's libraries into the folder.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=interop/install.sh
source ../install.sh

need shellcheck shellcheck
need git git
need_python
install_debian
install_python
