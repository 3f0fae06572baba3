#!/bin/sh
# The tour of `make demo`: real evidence is made, verified, and one tampered
# copy of it refused. Usage: demo.sh BIN-FOLDER OUTPUT-FOLDER
set -eu
bin=$1 out=$2
evidence=$out/svc-evidence-tx-2026-0001.json

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }
run() { printf '$ %s\n' "$*"; "$@"; }

say "1. A certificate is issued: two of three nodes approve, the signer signs, two nodes witness."
rm -rf "$out"
run "$bin/play" issued "$out"

say "2. The proof is verified, offline, against the keys of the trust file alone."
run "$bin/svc-verify" --evidence "$evidence" --trust "$out/trust.json" --output text

say "3. Its answer for machines: the ten fields of the result, exit code 0."
run "$bin/svc-verify" --evidence "$evidence" --trust "$out/trust.json"

say "4. One word of an approval is changed: an hour more of lifetime."
tampered=$out/tampered.json
sed 's/"lifetime_seconds":604800/"lifetime_seconds":608400/' "$evidence" > "$tampered"
code=0
run "$bin/svc-verify" --evidence "$tampered" --trust "$out/trust.json" || code=$?
if [ "$code" -ne 1 ]; then
	echo "demo: the tampered copy must be refused with exit code 1, not $code" >&2
	exit 1
fi
say "Refused, with exit code 1. The evidence is in $out/ to try more."
