-- Spans that could not be read are looked for by the source and by whether an
-- event could be in them; and a row can stand for many spans of one kind.
ALTER TABLE skips ADD COLUMN source INTEGER NOT NULL DEFAULT 0;   -- that of the container
ALTER TABLE skips ADD COLUMN spans INTEGER NOT NULL DEFAULT 1;    -- how many the row stands for: this one, and others up to
ALTER TABLE skips ADD COLUMN through INTEGER NOT NULL DEFAULT 0;  --   the record of this number
-- Others are notes on what was read all the same, or hold no record by their nature.
ALTER TABLE skips ADD COLUMN hides INTEGER NOT NULL GENERATED ALWAYS AS (
  code NOT IN ('source.no-record', 'source.several', 'source.several')
  AND (length > 0 OR code NOT IN ('source.invalid-utf8', 'source.ambiguous'))) VIRTUAL;
UPDATE skips SET source = (SELECT c.source FROM containers c WHERE c.container = skips.container), through = record;
DROP INDEX skips_by_place;
CREATE INDEX skips_by_record ON skips (source, hides, record);
CREATE INDEX skips_of_many ON skips (source, record) WHERE spans > 1;
