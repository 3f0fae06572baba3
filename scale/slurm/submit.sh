#!/bin/sh
# Submits plan, part, join and conclude, each after the one before, and prints the id
# of the last. join and conclude run though a part is lost for good: the verdict is
# inconclusive then, and names it.
set -eu
SCALE=$(cd "$(dirname "$0")" && pwd)
. "$SCALE/settings.sh"
export SCALE EVIDENCE PARTS_DIR TRUST PART_KEY PARTS GROUP
submit() { sbatch --parsable --output "$PARTS_DIR/%x-%A-%a.log" "$@"; }
plan=$(submit "$SCALE/plan.sbatch")
part=$(submit --dependency="afterok:$plan" --kill-on-invalid-dep=yes --array="0-$((PARTS - 1))%$AT_ONCE" "$SCALE/part.sbatch")
join=$(submit --dependency="afterany:$part" --array="0-$(((PARTS + GROUP - 1) / GROUP - 1))" "$SCALE/join.sbatch")
submit --dependency="afterany:$join" "$SCALE/conclude.sbatch"
