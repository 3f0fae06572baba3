-- A case of svc-verify: evidence, and what was found in it. Every table says here what it
-- holds. Digests are 32 raw octets: SELECT lower(hex(sha256)) FROM sources.

CREATE TABLE sources (
  -- A source is one file or stream, known by its content. read, read_sha256 and reports say
  -- how far an ingest has come; sha256 is there once it is complete.
  source      INTEGER PRIMARY KEY,
  size        INTEGER NOT NULL,   -- octets when it was opened
  sha256      BLOB,               -- of the whole; NULL: not yet read to its end
  how         TEXT NOT NULL,      -- JSON: the reader's version, the input format that was named, batch attributes
  reports     INTEGER NOT NULL,   -- what the reader reported so far: records, skips, formats
  events      INTEGER NOT NULL,   -- of these, events
  documents   INTEGER NOT NULL,   -- bundles and other signed documents
  skipped     INTEGER NOT NULL,   -- spans that could not be read
  numbers     INTEGER NOT NULL,   -- records and skips have numbers below this one
  read        INTEGER NOT NULL,   -- octets read by then
  read_sha256 BLOB NOT NULL,      -- of those octets
  replaced    INTEGER,            -- the source that is the same content, read again, or goes on with it
  -- Of a range of a file, as in a share of a plan; NULL: the source is the whole.
  whole_sha256 BLOB,              -- of the file
  whole_size   INTEGER,           -- octets of the file
  begins       INTEGER,           -- the first octet of the range; its size is that of the source
  CHECK (whole_sha256 IS NULL OR begins >= 0 AND begins <= whole_size)
) STRICT;
CREATE UNIQUE INDEX sources_by_sha256 ON sources (sha256) WHERE sha256 IS NOT NULL AND whole_sha256 IS NULL;

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
  source    INTEGER NOT NULL REFERENCES sources,
  container INTEGER NOT NULL,     -- from 0, in the order in which they were found
  path      TEXT NOT NULL,
  format    TEXT NOT NULL,        -- as the reader recognised it
  why       TEXT NOT NULL,        -- by what
  unbatched INTEGER NOT NULL,     -- events in it that came without a batch id
  PRIMARY KEY (source, container)
) STRICT, WITHOUT ROWID;

CREATE TABLE logs (
  -- The audit logs of which there is an event.
  log       INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  log_id    TEXT NOT NULL,
  UNIQUE (tenant_id, log_id)
) STRICT;

CREATE TABLE blocks (
  -- Neighbouring copies of the events of a log (docs/spec.md, 19.3). Of one run, the blocks of
  -- a log are in order. Runs are what was read together: the case is the union of its runs.
  block   INTEGER PRIMARY KEY,
  run     INTEGER NOT NULL,
  log     INTEGER NOT NULL REFERENCES logs,
  first   INTEGER NOT NULL,       -- sequence of the first copy
  last    INTEGER NOT NULL,       -- and of the last one
  copies  BLOB NOT NULL,
  kept    BLOB                    -- their signatures, and where their bodies are; NULL: a temporary store judged them
) STRICT;

CREATE TABLE run_sources (
  -- The sources of which a run has events.
  run    INTEGER NOT NULL,
  source INTEGER NOT NULL,
  PRIMARY KEY (source, run)
) STRICT, WITHOUT ROWID;

CREATE TABLE bodies (
  -- Salt, transaction and data of many events, one after the other, as one Snappy block.
  body   INTEGER PRIMARY KEY,
  octets BLOB NOT NULL
) STRICT;

CREATE TABLE statements (
  -- What events say that other logs must meet, and runs of events that came under one batch id:
  -- rows as in docs/spec.md, 19.3.
  statement INTEGER PRIMARY KEY,
  run       INTEGER NOT NULL,
  kind      INTEGER NOT NULL,     -- 8: statements of the log; 9: batches
  log       INTEGER,              -- NULL: of no log
  first     INTEGER NOT NULL,     -- sequence of the first one
  octets    BLOB NOT NULL
) STRICT;

CREATE TABLE skips (
  -- Spans that could not be read as an event, a bundle or a checkpoint.
  source    INTEGER NOT NULL REFERENCES sources,
  record    INTEGER NOT NULL,     -- its number among the records and skips of the source
  container INTEGER NOT NULL,
  offset    INTEGER NOT NULL,
  length    INTEGER NOT NULL,
  code      TEXT NOT NULL,
  detail    TEXT NOT NULL,
  excerpt   BLOB NOT NULL,        -- the first octets
  spans     INTEGER NOT NULL,     -- how many the row stands for: this one, and others up to
  through   INTEGER NOT NULL      --   the record of this number
) STRICT;
CREATE INDEX skips_by_record ON skips (source, record);

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
  source    INTEGER NOT NULL,
  container INTEGER NOT NULL,
  offset    INTEGER NOT NULL,
  length    INTEGER NOT NULL,
  record    INTEGER NOT NULL,
  PRIMARY KEY (document, source, record, container, offset)
) STRICT, WITHOUT ROWID;
