CREATE TABLE arrivals (
  -- What a pass over all arrivals found, to be had again for as long as nothing
  -- was added to the case. It is no evidence; the table may be emptied.
  digest  BLOB PRIMARY KEY,       -- SHA-256 over what sources and paths held then
  summary BLOB NOT NULL           -- JSON
) STRICT, WITHOUT ROWID;
