// Package producers lets real programs write down a genuine journal, and compares svc-verify's
// reading of their files with the input: log shippers, journals of systemd, databases, tables,
// text tools, compressors and archivers.
//
// Each row of a group is one form of one program: a shell script that reads the journal IN and
// writes files into the folder OUT. Every row is run on the journal as it is, and on one in
// which a value was altered; then the output is cut.
//
// It is a module of its own, as it needs programs that a machine with Go need not
// have. The file install.sh installs them.
package producers
