#!/usr/bin/env bash
# Makes a part of one object of S3, and puts it into S3:
#
#     part.sh s3://evidence/journal.ndjson s3://parts/journal.part --trust trust.json
#
# Flags are those of svc-verify part. The object goes through a pipe. The part is put
# only if all of the object came: it is whole in the bucket, or not there. Whatever
# fails is exit code 2, so that a scheduler tries again.
set -euo pipefail
from=$1 to=$2
shift 2
part=$(mktemp)
trap 'rm -f "$part"' EXIT
aws s3 cp --only-show-errors "$from" - | svc-verify part --out "$part" "$@" - || exit 2
aws s3 cp --only-show-errors "$part" "$to" || exit 2
