// Which paths of an archive a glob means. Folder by folder, so that `data/*.csv` looks at what lies in `data` and not at a
// million paths. `**` means any depth; names that begin with a dot are names like others.
import type { Listing } from '../restore/listing/listing.js';
import { globMatcher } from '../format/manifest/selection.js';
import { type RawPath, TOP, joinParts, joinPath } from '../platform/paths/raw-path.js';
import { plainGlob } from '../platform/text/typed-path.js';
import { relativePath, resolvePath } from './archive-path.js';

/** The paths, in their order; each once. */
export function* expandGlob(listing: Listing, folder: RawPath, glob: string): Generator<RawPath> {
  const parts = glob.split('/').filter((part) => part !== '' && part !== '.');
  let first = 0;
  while (first < parts.length && !isGlob(parts[first] ?? '')) first++;
  // What comes before the first pattern is a path, perhaps with `..` in it.
  const above = joinParts(parts.slice(0, first).map(plainGlob));
  const start = resolvePath(glob.startsWith('/') ? TOP : folder, above);
  yield* matching(listing, start, parts.slice(first));
}

const isGlob = (part: string): boolean => /[*?[{]/.test(part.replaceAll(/\\./gs, ''));

function* matching(listing: Listing, folder: RawPath, parts: readonly string[]): Generator<RawPath> {
  const [part = '', ...rest] = parts;
  // A brace with a slash in it was cut in two, and `**` has any number of levels: the whole is compared.
  if (part.includes('**') || parts.some((piece) => unbalanced(piece)))
    yield* anyDepth(listing, folder, parts.join('/'));
  else
    for (const { name, isFolder } of namesLike(listing, folder, part)) {
      const path = joinPath(folder, name);
      if (rest.length === 0) yield path;
      else if (isFolder) yield* matching(listing, path, rest);
    }
}

const unbalanced = (part: string): boolean => part.split('{').length !== part.split('}').length;

function* namesLike(
  listing: Listing,
  folder: RawPath,
  part: string,
): Generator<{ readonly name: RawPath; readonly isFolder: boolean }> {
  if (!isGlob(part)) {
    const name = plainGlob(part);
    const path = joinPath(folder, name);
    const isFolder = listing.isFolder(path);
    if (isFolder || listing.find(path) !== undefined) yield { name, isFolder };
    return;
  }
  const isMatch = globMatcher(part);
  for (const child of listing.children(folder)) if (isMatch(child.name)) yield child;
}

function* anyDepth(listing: Listing, folder: RawPath, glob: string): Generator<RawPath> {
  const isMatch = globMatcher(glob);
  const { start, end } = listing.below(folder);
  for (let index = start; index < end; index++) {
    const path = listing.path(index);
    if (isMatch(relativePath(folder, path))) yield path;
  }
}
