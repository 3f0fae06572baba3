// Package sqlite works on SQLite databases, among them those that an attacker
// made.
//
// It calls the C interface of SQLite as modernc.org/sqlite translates it: going through
// database/sql costs three times as much for each row. For long passes it also reads b-trees
// page by page, in tree.go, index.go, pages.go and record.go: two thirds of the cost of such a
// pass would otherwise go to stepping a statement and copying columns. The format of the pages
// is SQLite's and does not change (https://www.sqlite.org/fileformat2.html).
//
// A connection executes nothing in the schema of a file: no trigger and no view runs, and
// values and SQL have bounds (harden.go). Whether a schema is the right one is for the caller
// to check. Only stmt.go deals in addresses.
package sqlite
