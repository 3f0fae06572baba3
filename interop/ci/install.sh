#!/usr/bin/env bash
# Installs what judges the files for pipelines: install.sh FOLDER. Debian's packages if
# a program is missing, which needs root; Python's libraries into the folder.
set -euo pipefail
cd "$(dirname "$0")"
folder=$1

packages=()
command -v shellcheck >/dev/null || packages+=(shellcheck)
command -v git >/dev/null || packages+=(git)
command -v python3 >/dev/null || packages+=(python3)
python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)
if test ${#packages[@]} -gt 0; then
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi
test -x "$folder/python/bin/python" || python3 -m venv "$folder/python"
"$folder/python/bin/python" -m pip install -q --disable-pip-version-check -r requirements.txt
