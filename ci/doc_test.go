// Package ci has what continuous integration runs: a GitHub action, a component for
// GitLab, and examples for Jenkins and cron. It has no Go code but tests, which run
// the shell scripts out of these files.
package ci
