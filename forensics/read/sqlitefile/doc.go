// Package sqlitefile reads the rows of ordinary tables from the pages of an SQLite
// file that is evidence.
//
// It does not open the file as a database: no SQL of the file is run, no lock is
// taken, no file beside it is opened, and nothing is written. It needs only the pages
// (https://www.sqlite.org/fileformat2.html), in any [io.ReaderAt], so that a file in
// an archive is read like any other. What the engine could not open is still read: a
// damaged page is reported, and costs only the rows in it.
//
// Views, virtual tables and indexes are not read: their rows are those of ordinary
// tables. Pages of a write-ahead log are read only from the database file that they
// were copied to.
//
// Time and memory are linear in the size of the file. Each page is read once: an
// attacker who leads two trees to one page makes damage, not work.
package sqlitefile
