// Package reports hands the reports of svc-verify to the programs that read such
// reports: schemas and readers of JUnit and SARIF, renderers of Markdown, and a browser.
//
// Each report is judged as it is. Then something is damaged that its reader must
// notice, so that a reader that accepts everything fails the test.
//
// It is a module of its own, as it needs programs that a machine with Go need not
// have. The file install.sh installs them.
package reports
