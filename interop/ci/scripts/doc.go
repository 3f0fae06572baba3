// Package scripts runs the shell scripts that the folder ci of the main module has, out
// of its files, as pipelines would.
package scripts
