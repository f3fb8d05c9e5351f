// Completes paths of this computer.
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { printable } from '../../core/platform/paths/raw-path.js';
import { quoteWord } from '../../core/shell/command-line.js';
import type { CompletionOption } from '../../core/shell/interpreter.js';

const MAX_OPTIONS = 1000;

/** Names that continue `text`; none if the folder cannot be read. */
export function completeLocal(cwd: string, text: string, foldersOnly: boolean): CompletionOption[] {
  const slash = text.lastIndexOf('/') + 1;
  const folder = text.slice(0, slash);
  const start = text.slice(slash);
  return entriesOf(resolve(cwd, folder === '' ? '.' : folder))
    .filter(({ name, isFolder }) => name.startsWith(start) && printable(name) === name && (isFolder || !foldersOnly))
    .filter(({ name }) => start.startsWith('.') || !name.startsWith('.'))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, MAX_OPTIONS)
    .map(({ name, isFolder }) => {
      const label = isFolder ? `${name}/` : name;
      return { insert: quoteWord(folder + name) + (isFolder ? '/' : ''), label, isFinal: !isFolder };
    });
}

function entriesOf(folder: string): readonly { readonly name: string; readonly isFolder: boolean }[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  } catch {
    return []; // completion only offers; the command itself reports errors of a folder
  }
}
