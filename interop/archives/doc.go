// Package archives hands the output of the archive commands to programs that others wrote for
// the same standards, and reads the output of those programs: bags, PREMIS events, time-stamp
// tokens and signatures.
//
// Each peer is also given something damaged, which it must notice, so that a peer
// that accepts everything fails the test.
//
// It is a module of its own, as it needs programs that a machine with Go need not
// have. The file install.sh installs them.
package archives
