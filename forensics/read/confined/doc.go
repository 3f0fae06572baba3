// Package confined decodes files of other makers' formats with other makers' libraries, in
// child processes that can do nothing else.
//
// A child is the same program, started again. It gets each file as a descriptor, or its bytes,
// and writes the output of the library to its standard output. It can open no file, make no
// connection and start no process: on Linux a seccomp filter refuses the system calls, with
// Landlock behind it. Memory, time and output are bounded. A crash, an endless loop or a bomb
// ends the child and costs one file.
//
// Confinement contains crashes, not lies: the output of a library is marked as decoded by it.
package confined
