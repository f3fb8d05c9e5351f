// Adds lines to .gitignore files for what DVC tracks, as `dvc add` does: `/name` in the folder that holds it.
import {
  baseName,
  displayPath,
  joinPath,
  parentOf,
  type RawPath,
  rawFromText,
  textFromRaw,
} from '../../platform/paths/raw-path.js';
import type { FilePutter } from './file-putter.js';

export const GITIGNORE = rawFromText('.gitignore');
const SPECIAL = /[\\[\]!*#?]/g;

export class GitignoreLines {
  private readonly namesOf = new Map<RawPath, RawPath[]>();

  add(path: RawPath): void {
    const folder = parentOf(path);
    const names = this.namesOf.get(folder) ?? [];
    names.push(baseName(path));
    this.namesOf.set(folder, names);
  }

  /** Writes the lines that are missing; returns how many. `attempt`: runs the work for a file, and keeps its failure. */
  write(putter: FilePutter, attempt: (file: RawPath, work: () => void) => void): number {
    let count = 0;
    for (const [folder, names] of this.namesOf) {
      const file = joinPath(folder, GITIGNORE);
      attempt(file, () => {
        putter.put(file, (before = '') => {
          const present = new Set(before.split('\n'));
          const missing = names.map(lineFor).filter((line) => !present.has(line));
          count += missing.length;
          if (missing.length === 0) return before;
          const end = before === '' || before.endsWith('\n') ? '' : '\n';
          return `${before}${end}${missing.join('\n')}\n`;
        });
      });
    }
    return count;
  }
}

/** Returns the pattern of this name alone. DVC leaves a space at the end as it is, which git would not read. */
const lineFor = (name: RawPath): string =>
  `/${(textFromRaw(name) ?? displayPath(name)).replaceAll(SPECIAL, '\\$&').replace(/ $/, '\\ ')}`;
