-- A ledger of svc-verify: the objects of an archive, when each was read and
-- verified, and every run. The column code has the HMAC of its row under the key of
-- the user who made it, and the code in state is over the sum of all such rows.

CREATE TABLE objects (
  -- One row for each object of the archive.
  path  BLOB NOT NULL PRIMARY KEY, -- its octets, relative to the archive
  entry BLOB NOT NULL,             -- what is known of it, packed (archive/ledger/entry.go)
  code  BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE names (
  -- Values that many entries have, each once: contexts, codes, keys and lists of keys.
  name  INTEGER PRIMARY KEY,
  value BLOB NOT NULL UNIQUE,      -- its kind, one octet, and the value
  code  BLOB NOT NULL
) STRICT;

CREATE TABLE runs (
  -- The record of each run (svc.archive-run.v1).
  run    INTEGER PRIMARY KEY,
  record BLOB NOT NULL,
  code   BLOB NOT NULL
) STRICT;

CREATE TABLE changes (
  -- What changed in each run, as lines of JSON. The record of the run commits to
  -- them; those of a run without a record are in the sum of all rows.
  run  INTEGER NOT NULL,
  path BLOB NOT NULL,
  nth  INTEGER NOT NULL,           -- of the changes of this run, in the order in which they came
  line BLOB NOT NULL,
  PRIMARY KEY (run, path, nth)
) STRICT, WITHOUT ROWID;

CREATE TABLE state (
  -- One row: whose ledger this is, and the code of everything.
  one    INTEGER PRIMARY KEY CHECK (one = 1),
  key_id BLOB NOT NULL,            -- tells the ledgers of different users apart
  runs   INTEGER NOT NULL,         -- how many have a record
  newest BLOB NOT NULL,            -- the digest of the newest record; empty if there is none
  began  INTEGER NOT NULL,         -- of a run that has no record yet, milliseconds since 1970; 0: none
  code   BLOB NOT NULL             -- of these and of the sum of all rows
) STRICT;
