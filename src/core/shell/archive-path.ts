// Paths as they are typed in an archive: `/` is the top of what was uploaded, everything else is relative to the current
// folder. Pure.
import { printable, rawFromText, type RawPath, textFromRaw } from '../paths/raw-path.js';
import { quoteWord } from './command-line.js';

/** The path of an entry, without slashes around it; '' is the top. Above the top is the top. */
export function resolvePath(folder: RawPath, text: string): RawPath {
  const raw = rawFromText(text);
  const parts: string[] = [];
  for (const part of (raw.startsWith('/') ? raw : `${folder}/${raw}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** The path of something in a folder. */
export const joinPath = (folder: RawPath, name: RawPath): RawPath => (folder === '' ? name : `${folder}/${name}`);

/** The path as seen from a folder that it lies below. */
export const relativePath = (folder: RawPath, path: RawPath): RawPath =>
  folder === '' ? path : path.slice(folder.length + 1);

export const baseName = (path: RawPath): RawPath => path.slice(path.lastIndexOf('/') + 1);

/** A name as it can be typed: quoted, with `?` for what no keyboard has. */
export function typedName(name: RawPath): string {
  const text = textFromRaw(name);
  if (text === undefined) return quoteWord(name).replaceAll(/[^ -~]/g, '?');
  return Array.from(text, (character) => (printable(character) === character ? quoteWord(character) : '?')).join('');
}
