// What lies in a folder.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the content of each file, in base64, by its path below the folder. */
export const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(folder.length), readFileSync(path, 'base64')]),
  );
