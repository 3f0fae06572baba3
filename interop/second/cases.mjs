// Finds the cases below a directory. A case is a directory with case.json and the files that it is about.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** casesBelow lists the directories of the cases below a folder, ascending. */
export function casesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return casesBelow(join(folder, entry.name));
    return entry.name === 'case.json' ? [folder] : [];
  }).sort();
}
