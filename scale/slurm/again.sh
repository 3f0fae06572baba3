# again COMMAND... runs a command, and once more up to three times if it ends with 2:
# something could not be read or written, and it may work the next time. It ends the
# job with the last exit code. Slurm runs a job again whose node is lost (--requeue),
# but not by exit code.
again() {
	for wait in "${WAIT:-10}" "${WAIT:-60}" "${WAIT:-300}" last; do
		code=0
		"$@" || code=$?
		if test "$code" -ne 2 || test "$wait" = last; then exit "$code"; fi
		sleep "$wait"
	done
}
