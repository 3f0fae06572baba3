#!/bin/sh
# Registers the job definitions and submits plan, part, join and conclude, each after
# the one before. AWS Batch starts nothing after a job that failed: where a part is
# lost for good, `submit.sh join` goes on with the others, and the verdict is
# inconclusive and names what is lost.
#
# Usage: QUEUE=... submit.sh [plan|join]
set -eu
: "${QUEUE:?the job queue}"
folder=$(cd "$(dirname "$0")" && pwd)
after=
# submit NAME [OPTION...] submits a job after the last one.
submit() {
	name=$1
	shift
	definition=$(aws batch register-job-definition --cli-input-json "file://$folder/$name.json" --query jobDefinitionArn --output text)
	if test -n "$after"; then set -- "$@" --depends-on "jobId=$after"; fi
	after=$(aws batch submit-job --job-name "svc-verify-$name" --job-queue "$QUEUE" --job-definition "$definition" "$@" --query jobId --output text)
	echo "$name $after"
}
if test "${1:-plan}" = plan; then
	submit plan
	submit part --array-properties size=64
fi
submit join --array-properties size=8
submit conclude
