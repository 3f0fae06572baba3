// Package sqlite works on SQLite databases, among them those that an attacker
// made.
//
// It calls the C interface of SQLite as modernc.org/sqlite translates it: going through
// database/sql costs three times as much for each row. Rows are read by statements alone.
//
// [Pages] goes through b-trees page by page, so that a case can digest every byte of its
// evidence and no other. The engine's own list of pages, dbstat, is not bounded: of a file of
// 64 KiB that someone prepared it follows one list of overflow pages for half a minute. The
// format of the pages does not change (https://www.sqlite.org/fileformat2.html).
//
// A connection executes nothing in the schema of a file: no trigger and no view runs, and
// values and SQL have bounds (harden.go). Whether a schema is the right one is for the caller
// to check. Only stmt.go deals in addresses.
package sqlite
