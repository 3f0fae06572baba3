# What the jobs of this folder share. Change it, or set the variables before
# submit.sh. All paths must mean the same on every node.
: "${EVIDENCE:?the folder of the evidence}"
: "${PARTS_DIR:?a folder for the plan, the parts and the verdict}"
: "${TRUST:?the trust file}"
: "${PART_KEY:?the part key, a file of 32 octets that only you can read}"
: "${PARTS:=64}" # at most MaxArraySize of the cluster, usually 1001
: "${GROUP:=8}"  # how many parts one join takes
: "${AT_ONCE:=16}"
