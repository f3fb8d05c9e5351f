// Completes paths of an archive.
import type { LazyListing } from '../restore/listing/lazy-listing.js';
import { displayPath, type RawPath } from '../platform/paths/raw-path.js';
import { typedPath } from '../platform/text/typed-path.js';
import { resolvePath, typedName } from './archive-path.js';
import { quoteWord } from './command-line.js';
import type { CompletionOption } from './interpreter.js';

/** Limit of options, because a folder may hold a million names. */
const MAX_OPTIONS = 1000;

export interface CompletePathOptions {
  readonly lazy: LazyListing;
  /** The current folder. */
  readonly folder: RawPath;
  /** The text typed so far, without quotes. */
  readonly text: string;
  readonly foldersOnly: boolean;
}

/** Returns the names that continue `text`. @throws what reading them throws */
export async function completePath({
  lazy,
  folder,
  text,
  foldersOnly,
}: CompletePathOptions): Promise<CompletionOption[]> {
  const slash = text.lastIndexOf('/') + 1;
  const typedFolder = text.slice(0, slash);
  const inside = resolvePath(folder, typedPath(typedFolder));
  const options: CompletionOption[] = [];
  for await (const { name, isFolder } of lazy.names(inside, typedPath(text.slice(slash)))) {
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
