// What may come next when a path of an archive is being typed.
import type { Listing } from '../listing/listing.js';
import { displayPath, rawFromText, type RawPath } from '../raw-path.js';
import { joinPath, resolvePath, typedName } from './archive-path.js';
import { quoteWord } from './command-line.js';
import type { CompletionOption } from './interpreter.js';

/** More than anybody reads; a folder may hold a million names. */
const MAX_OPTIONS = 1000;

export interface CompletePathOptions {
  readonly listing: Listing;
  /** The current folder. */
  readonly folder: RawPath;
  /** What is typed so far, without quotes. */
  readonly text: string;
  readonly foldersOnly: boolean;
}

/** Names that go on where `text` ends. */
export function completePath({ listing, folder, text, foldersOnly }: CompletePathOptions): CompletionOption[] {
  const slash = text.lastIndexOf('/') + 1;
  const typedFolder = text.slice(0, slash);
  const inside = resolvePath(folder, typedFolder);
  const options: CompletionOption[] = [];
  for (const { name, isFolder } of childrenLike(listing, inside, rawFromText(text.slice(slash)))) {
    if (foldersOnly && !isFolder) continue;
    const end = isFolder ? '/' : '';
    options.push({
      insert: `${typedFolder === '' ? '' : quoteWord(typedFolder)}${typedName(name)}${end}`,
      label: displayPath(name) + end,
      isFinal: !isFolder,
    });
    if (options.length === MAX_OPTIONS) break;
  }
  return options;
}

/** What lies right below `folder` and begins with `prefix`; finds the place instead of walking to it. */
function* childrenLike(
  listing: Listing,
  folder: RawPath,
  prefix: RawPath,
): Generator<{ readonly name: RawPath; readonly isFolder: boolean }> {
  const wanted = joinPath(folder, prefix);
  const skip = folder === '' ? 0 : folder.length + 1;
  const { start, end } = listing.below(folder);
  for (let index = firstFrom(listing, start, end, wanted); index < end;) {
    const path = listing.path(index);
    if (!path.startsWith(wanted)) return;
    const name = path.slice(skip).split('/', 1)[0] ?? '';
    const child = joinPath(folder, name);
    if (child === path) {
      yield { name, isFolder: listing.type(index) === 'directory' };
      index++;
    } else {
      // A folder with an entry of its own has been seen.
      if (listing.find(child) === undefined) yield { name, isFolder: true };
      index = listing.below(child).end;
    }
  }
}

function firstFrom(listing: Listing, start: number, end: number, wanted: RawPath): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (listing.path(middle) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
