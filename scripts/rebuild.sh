#!/bin/sh
# Builds a release once more from this checkout, and compares every byte:
#
#	scripts/rebuild.sh RELEASE_DIR
#
# Exit code 0: it is the same; 1: something differs, and is named; 2: it could not be built or
# compared. The version, the platforms, the time and the toolchain are those that the release
# names; GOTOOLCHAIN, where it is set, is another toolchain.
set -u

fail() {
	echo "rebuild: $*" >&2
	exit 2
}

# one NAME VALUE... wants one value.
one() {
	test $# = 2 || fail "the release names $(($# - 1)) of what must be one $1"
	echo "$2"
}

test $# = 1 || fail "usage: scripts/rebuild.sh RELEASE_DIR"
release=$(cd "$1" && pwd) || exit 2
cd "$(dirname "$0")/.." || exit 2

# A release may be hostile: of its texts, only what these patterns catch is used.
archive='svc-verify_([0-9A-Za-z.+-]+)_([a-z0-9]+)_([a-z0-9]+)\.(tar\.gz|zip)'
sums=$release/SHA256SUMS
versions=$(sed -nE "s/^[0-9a-f]{64}  $archive\$/\1/p" "$sums" | sort -u)
platforms=$(sed -nE "s/^[0-9a-f]{64}  $archive\$/\2\/\3/p" "$sums" | tr '\n' ' ')
times=$(cat "$release"/*.cdx.json | sed -nE '/"svc-verify:source-date-epoch"/{n;s/.*"([0-9]+)".*/\1/p;}' | sort -u)
toolchains=$(cat "$release"/*.cdx.json | sed -nE 's/.*"pkg:golang\/stdlib@([0-9][0-9a-z.]*)".*/go\1/p' | sort -u)
commits=$(cat "$release"/*.cdx.json | sed -nE '/"svc-verify:commit"/{n;s/.*"([0-9a-f]+(-dirty)?)".*/\1/p;}' | sort -u)
version=$(one version $versions) || exit 2
SOURCE_DATE_EPOCH=$(one time $times) || exit 2
GOTOOLCHAIN=${GOTOOLCHAIN:-$(one toolchain $toolchains)} || exit 2
export SOURCE_DATE_EPOCH GOTOOLCHAIN
commit=$(git rev-parse HEAD) || exit 2
test "$commit" = "$commits" || echo "rebuild: the release names the commit $commits, and this checkout is at $commit" >&2

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
make -s release VERSION="$version" OUT="$work/rebuilt" PLATFORMS="$platforms" KEY= DIRTY= >"$work/log" 2>&1 ||
	fail "the release could not be built: $(cat "$work/log")"
go build -o "$work/compare" ./scripts/release || exit 2
"$work/compare" -compare "$release" "$work/rebuilt"
code=$?
test $code != 0 || echo "rebuild: version $version, built with $GOTOOLCHAIN from $commit, is the same"
exit $code
