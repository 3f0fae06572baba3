// Package ci has real programs judge the files for pipelines in the folder ci of the
// main module: their schemas, their shell scripts, and the hooks for pre-commit.
//
// It is a module of its own, as it needs programs that a machine with Go need not
// have. The file install.sh installs them.
package ci
