// Expands a glob to paths of an archive. Works folder by folder, so that `data/*.csv` examines only `data` and not a million paths. `**`
// matches any depth; names that begin with a dot are not special.
import type { LazyListing, Reading } from '../restore/listing/lazy-listing.js';
import { globMatcher } from '../format/manifest/selection.js';
import { type RawPath, TOP, joinParts, joinPath } from '../platform/paths/raw-path.js';
import { plainGlob } from '../platform/text/typed-path.js';
import { relativePath, resolvePath } from './archive-path.js';

/** Yields each matching path once, in order. @throws what reading them throws */
export async function* expandGlob(
  lazy: LazyListing,
  folder: RawPath,
  glob: string,
  how: Reading = {},
): AsyncGenerator<RawPath> {
  const parts = glob.split('/').filter((part) => part !== '' && part !== '.');
  let first = 0;
  while (first < parts.length && !isGlob(parts[first] ?? '')) first++;
  // The part before the first pattern is a path, which may contain `..`.
  const above = joinParts(parts.slice(0, first).map(plainGlob));
  const start = resolvePath(glob.startsWith('/') ? TOP : folder, above);
  const paths = matching({ lazy, how }, start, parts.slice(first));
  // As everywhere, `*/` is folders only.
  for await (const path of paths) if (!glob.endsWith('/') || lazy.listing.isFolder(path)) yield path;
}

const isGlob = (part: string): boolean => /[*?[{]/.test(part.replaceAll(/\\./gs, ''));

interface Archive {
  readonly lazy: LazyListing;
  readonly how: Reading;
}

async function* matching(archive: Archive, folder: RawPath, parts: readonly string[]): AsyncGenerator<RawPath> {
  const [part = '', ...rest] = parts;
  // A brace with a slash in it was split, and `**` matches any number of levels: compare whole paths.
  if (part.includes('**') || parts.some((piece) => unbalanced(piece)))
    yield* anyDepth(archive, folder, parts.join('/'));
  else
    for await (const { name, isFolder } of namesLike(archive, folder, part)) {
      const path = joinPath(folder, name);
      if (rest.length === 0) yield path;
      else if (isFolder) yield* matching(archive, path, rest);
    }
}

const unbalanced = (part: string): boolean => part.split('{').length !== part.split('}').length;

async function* namesLike(
  { lazy, how }: Archive,
  folder: RawPath,
  part: string,
): AsyncGenerator<{ readonly name: RawPath; readonly isFolder: boolean }> {
  if (!isGlob(part)) {
    const name = plainGlob(part);
    const path = joinPath(folder, name);
    const listing = await lazy.readPath(path, how);
    const isFolder = listing.isFolder(path);
    if (isFolder || listing.find(path) !== undefined) yield { name, isFolder };
    return;
  }
  const isMatch = globMatcher(part);
  for await (const child of lazy.names(folder, TOP, how)) if (isMatch(child.name)) yield child;
}

async function* anyDepth({ lazy, how }: Archive, folder: RawPath, glob: string): AsyncGenerator<RawPath> {
  const isMatch = globMatcher(glob);
  const listing = await lazy.readBelow(folder, how);
  const { start, end } = listing.below(folder);
  for (let index = start; index < end; index++) {
    const path = listing.path(index);
    if (isMatch(relativePath(folder, path))) yield path;
  }
}
