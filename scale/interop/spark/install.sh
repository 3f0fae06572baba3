#!/usr/bin/env bash
# Installs Spark for the test: install.sh FOLDER. Java of Debian if there is none, which
# needs root; PySpark into the folder, a download of 500 MB.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=interop/install.sh
source ../../../interop/install.sh

need java default-jre-headless
need_python
install_debian
install_python --no-cache-dir
