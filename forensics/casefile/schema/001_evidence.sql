-- A case of svc-verify: evidence, and what was found in it. Every table says
-- here what it holds; all integers that name a row mean something within this
-- file only. Digests are 32 raw octets: SELECT lower(hex(hash)) FROM events.

CREATE TABLE sources (
  -- A source is one file or stream, known by its content. read, read_sha256 and
  -- records say how far an ingest has come; sha256 is there once it is complete.
  source      INTEGER PRIMARY KEY,
  size        INTEGER NOT NULL,   -- octets when it was opened
  sha256      BLOB,               -- of the whole; NULL: not yet ingested to its end
  records     INTEGER NOT NULL,   -- what the reader reported so far: records, skips, formats
  events      INTEGER NOT NULL,   -- of these, events
  documents   INTEGER NOT NULL,   -- bundles and other signed documents
  skipped     INTEGER NOT NULL,   -- spans that could not be read
  read        INTEGER NOT NULL,   -- octets read by then
  read_sha256 BLOB NOT NULL       -- of those octets
) STRICT;
CREATE UNIQUE INDEX sources_by_sha256 ON sources (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX sources_by_size ON sources (read) WHERE sha256 IS NOT NULL;
CREATE INDEX sources_unfinished ON sources (source) WHERE sha256 IS NULL;

CREATE TABLE paths (
  -- Where a source was given; the same content under two paths is one source.
  source   INTEGER NOT NULL REFERENCES sources,
  path     TEXT NOT NULL,         -- as it was given
  absolute TEXT NOT NULL,         -- to find it again; '' for a stream
  PRIMARY KEY (source, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE unread (
  -- Paths that were given and not read, and why.
  path   TEXT NOT NULL,
  code   TEXT NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (path, code, detail)
) STRICT, WITHOUT ROWID;

CREATE TABLE containers (
  -- A container is a source ('') or a file in the archives of one.
  container INTEGER PRIMARY KEY,
  source    INTEGER NOT NULL REFERENCES sources,
  path      TEXT NOT NULL,
  format    TEXT NOT NULL,        -- as the reader recognised it
  why       TEXT NOT NULL,        -- by what
  UNIQUE (source, path)
) STRICT;

CREATE TABLE logs (
  -- The audit logs of which there is an event.
  log       INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  log_id    TEXT NOT NULL,
  UNIQUE (tenant_id, log_id)
) STRICT;

CREATE TABLE words (
  -- Event types and key ids, which repeat in every event.
  word INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE batches (
  -- The batch ids of a record as a JSON array of "where:id".
  batch INTEGER PRIMARY KEY,
  ids   TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE events (
  -- The events, one row for the first copy that came of each sequence of a log.
  -- The event's canonical line is made of these columns and of two values that
  -- stand in the block's decompressed octets B, from start on: the 16 octets of
  -- the salt, substr(B, start + 1, 16), and after them the data, a JSON object.
  event          INTEGER PRIMARY KEY,  -- log << 40 | sequence
  hash           BLOB NOT NULL,        -- as it is written in the event
  previous       BLOB NOT NULL,        -- previous_hash
  skip           BLOB NOT NULL,        -- skip_hash
  body           BLOB NOT NULL,        -- SHA-256 of the body that is there
  signature      BLOB NOT NULL,
  key            INTEGER NOT NULL,     -- words: key_id
  type           INTEGER NOT NULL,     -- words
  occurred_at    INTEGER NOT NULL,     -- milliseconds since 1970, UTC
  transaction_id TEXT,
  fidelity       INTEGER NOT NULL,     -- the best so far: 1 exact, 2 unquoted, 3 recanonicalised, 4 lossy
  block          INTEGER,              -- NULL: by reference, the line is in the source
  start          INTEGER NOT NULL,
  size           INTEGER NOT NULL,     -- octets of the whole body
  container      INTEGER NOT NULL,     -- where this copy was first found:
  offset         INTEGER NOT NULL,     --   in the container's decompressed octets
  length         INTEGER NOT NULL,
  record         INTEGER NOT NULL,     --   its number among the records and skips of the source
  batch          INTEGER,              --   with these batch ids
  observed_at    INTEGER               --   when a collector saw it, nanoseconds since 1970
) STRICT;

CREATE TABLE variants (
  -- Further copies of a sequence that differ from the first in any octet, and
  -- events whose log or sequence number is too large for a packed one.
  variant        INTEGER PRIMARY KEY,
  log            INTEGER NOT NULL REFERENCES logs,
  sequence       INTEGER NOT NULL,
  digest         BLOB NOT NULL,        -- tells the copies of a sequence apart
  hash           BLOB NOT NULL,
  previous       BLOB NOT NULL,
  skip           BLOB NOT NULL,
  body           BLOB NOT NULL,
  signature      BLOB NOT NULL,
  key            INTEGER NOT NULL,
  type           INTEGER NOT NULL,
  occurred_at    INTEGER NOT NULL,
  transaction_id TEXT,
  fidelity       INTEGER NOT NULL,
  block          INTEGER,
  start          INTEGER NOT NULL,
  size           INTEGER NOT NULL,
  container      INTEGER NOT NULL,
  offset         INTEGER NOT NULL,
  length         INTEGER NOT NULL,
  record         INTEGER NOT NULL,
  batch          INTEGER,
  observed_at    INTEGER,
  UNIQUE (log, sequence, digest)
) STRICT;

CREATE TABLE deliveries (
  -- Every delivery of a copy after its first.
  event       INTEGER NOT NULL,   -- events.event, or -variants.variant
  container   INTEGER NOT NULL,
  offset      INTEGER NOT NULL,
  length      INTEGER NOT NULL,
  record      INTEGER NOT NULL,
  batch       INTEGER,
  observed_at INTEGER,
  PRIMARY KEY (event, container, record, offset)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  -- Runs of records that came under one batch, to know them when they come
  -- again. They speed up the ingest and are no evidence; runs may be emptied.
  digest BLOB PRIMARY KEY,        -- SHA-256 over fidelity, and length and octets of each body
  refs   BLOB NOT NULL            -- deliveries.event of each, as varint differences
) STRICT, WITHOUT ROWID;

CREATE TABLE blocks (
  -- Salt and data of many events, one after the other, as one Snappy block.
  block INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE skips (
  -- Spans that could not be read as an event, a bundle or a checkpoint.
  container INTEGER NOT NULL REFERENCES containers,
  offset    INTEGER NOT NULL,
  length    INTEGER NOT NULL,
  record    INTEGER NOT NULL,
  code      TEXT NOT NULL,
  detail    TEXT NOT NULL,
  excerpt   BLOB NOT NULL         -- the first octets
) STRICT;

CREATE INDEX skips_by_place ON skips (container, record);

CREATE TABLE documents (
  -- Bundles and other signed documents that were found, by content.
  document INTEGER PRIMARY KEY,
  sha256   BLOB NOT NULL UNIQUE,
  kind     TEXT NOT NULL,
  bytes    BLOB NOT NULL
) STRICT;

CREATE TABLE document_places (
  -- Every place where a document was found.
  document  INTEGER NOT NULL REFERENCES documents,
  container INTEGER NOT NULL REFERENCES containers,
  offset    INTEGER NOT NULL,
  length    INTEGER NOT NULL,
  record    INTEGER NOT NULL,
  PRIMARY KEY (document, container, record, offset)
) STRICT, WITHOUT ROWID;

CREATE VIEW timeline AS
  -- The index as people want to read it.
  SELECT l.tenant_id, l.log_id, e.event & 0xffffffffff AS sequence,
         strftime('%Y-%m-%dT%H:%M:%fZ', e.occurred_at / 1000.0, 'unixepoch') AS occurred_at,
         t.text AS type, e.transaction_id, k.text AS key_id, lower(hex(e.hash)) AS hash,
         (SELECT min(p.path) FROM paths p JOIN containers c USING (source) WHERE c.container = e.container) AS path,
         e.offset
    FROM events e
    JOIN logs l ON l.log = e.event >> 40
    JOIN words t ON t.word = e.type
    JOIN words k ON k.word = e.key;
