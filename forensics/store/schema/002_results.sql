CREATE TABLE signatures (
  -- Stretches of events of which every signature was found to hold: SHA-256 over
  -- the links, hashes, signatures and public keys. Nothing is kept of others.
  digest BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE walks (
  -- What a walk over the logs said, under which trust file, and from where the
  -- next one may go on.
  walk         INTEGER PRIMARY KEY,
  trust_sha256 BLOB NOT NULL,
  verdict      TEXT NOT NULL,
  result       TEXT NOT NULL,     -- JSON, without the findings
  state        BLOB               -- NULL: cannot be continued
) STRICT;

CREATE TABLE findings (
  -- What a walk found.
  walk          INTEGER NOT NULL REFERENCES walks,
  number        INTEGER NOT NULL, -- in the order of the walk's report
  code          TEXT NOT NULL,
  severity      TEXT NOT NULL,
  log_id        TEXT NOT NULL,    -- '' for a finding about a source
  sequence      INTEGER NOT NULL,
  last_sequence INTEGER NOT NULL,
  finding       TEXT NOT NULL,    -- JSON, whole
  PRIMARY KEY (walk, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE vouched (
  -- What a user's commands remember, each row under a code of that user's key
  -- (HMAC-SHA256). A row whose code does not hold is as good as none, and the
  -- table may be emptied.
  place BLOB PRIMARY KEY,         -- a code of what the row is about
  value BLOB NOT NULL,
  code  BLOB NOT NULL             -- of place and value
) STRICT, WITHOUT ROWID;
