#!/bin/sh
# Packs the journal with the real programs, as base64. Written with bzip2 1.0.8,
# xz 5.8, 7-Zip 25 and the others of Debian; only needed for new fixtures.
set -eu
cd "$(dirname "$0")"
here=$(pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cp journal "$work/journal"
cd "$work"
head -n 1 journal >first
tail -n +2 journal >rest

put() { base64 >"$here/$1.base64"; }

bzip2 -9 <journal | put bzip2
{ bzip2 -1 <first; bzip2 -9 <rest; } | put bzip2-two
xz --check=crc64 <journal | put xz
xz --check=sha256 --block-size=1024 <journal | put xz-blocks
{ xz --check=crc32 <first; head -c 8 /dev/zero; xz --check=none <rest; } | put xz-two
xz --x86 --lzma2 <journal | put xz-filtered
xz --lzma2=dict=512MiB <journal | put xz-large
lz4 -q <journal | put lz4
lz4 -q -B4 -BD -BX <journal | put lz4-linked
{ lz4 -q --no-frame-crc <first; lz4 -q --content-size <rest; } | put lz4-two
{ lz4 -q -l <first; lz4 -q <rest; } | put lz4-legacy
for i in $(seq 200); do cat journal; done | lz4 -q -B4 -BD -BX | put lz4-many

mkdir logs
cp journal logs/journal
archive() { rm -f out.*; "$@" >/dev/null; cat out.*; rm out.*; }
archive zip -r out.zip logs | put zip
zip -q - - <journal | put zip-streamed
zip -q -fz - journal | put zip-64
archive zip -P secret out.zip journal | put zip-encrypted
archive 7zz a -pSecret -mem=AES256 out.zip journal | put zip-aes
for method in Copy Deflate64 BZip2 LZMA; do
	archive 7zz a -tzip "-mm=$method" out.zip journal | put "zip-$method"
done
cp journal logs/second
cp journal logs/third

for method in Copy LZMA LZMA2 Deflate BZip2 PPMd; do
	archive 7zz a "-m0=$method" out.7z journal | put "7z-$method"
done
touch logs/empty
ln -s /etc/passwd logs/link
archive 7zz a -snl -ms=on -mhc=on out.7z logs | put 7z-solid
archive 7zz a -pSecret out.7z journal | put 7z-encrypted
archive 7zz a -pSecret -mhe=on out.7z journal | put 7z-names-encrypted
