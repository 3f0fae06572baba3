DROP TABLE arrivals;

CREATE TABLE vouched (
  -- What a user's commands remember, each row under a code of that user's key
  -- (HMAC-SHA256). A row whose code does not hold is as good as none, and the
  -- table may be emptied.
  place BLOB PRIMARY KEY,         -- a code of what the row is about
  value BLOB NOT NULL,
  code  BLOB NOT NULL             -- of place and value
) STRICT, WITHOUT ROWID;

CREATE TABLE readings (
  -- How a source was read. Without a row: by an earlier program.
  source       INTEGER PRIMARY KEY REFERENCES sources,
  how          TEXT NOT NULL,     -- JSON: the reader's version, the input format that was named, batch attributes
  replaced     INTEGER            -- the source that is the same content, read again in another way
) STRICT;
