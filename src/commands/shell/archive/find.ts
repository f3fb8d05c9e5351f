import { findMatcher } from '../../../core/format/manifest/find-pattern.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import { displayPath, type RawPath } from '../../../core/platform/paths/raw-path.js';
import type { Listing } from '../../../core/restore/listing/listing.js';
import { relativePath } from '../../../core/shell/archive-path.js';
import { readLevels, walkFolder } from '../../../core/shell/walk-folder.js';
import type { ArchiveCall, ArchiveCommand } from '../archive-command.js';
import { FIND_OPTIONS, type Tested, testOf } from './find-tests.js';
import { relativeTo } from './ls.js';
import { pausing } from './pausing.js';

export const find: ArchiveCommand = {
  name: 'find',
  usage: 'find PATTERN | find [PATH...] [-name GLOB] …',
  summary:
    'paths below this folder: "*.csv" by name, "data/**/*.csv" by path, a plain word anywhere in the path; or what lies below ' +
    'PATH and passes tests: -name, -iname, -type, -size, -maxdepth',
  options: FIND_OPTIONS,
  args: ['folder'],
  minArgs: 0,
  maxArgs: Number.POSITIVE_INFINITY,
  async run(call) {
    const { session, args, streams, options } = call;
    const isWanted = wantedBy(call);
    const maxDepth = options.count('-maxdepth', 'a number of levels, such as 1') ?? Infinity;
    const starts = pattern(call) === undefined && args.length > 0 ? await session.paths(args, streams) : undefined;
    for (const start of starts ?? [await session.here(streams)]) {
      const listing = await session.reading(streams, (lazy, how) => readLevels(lazy, start, maxDepth, how));
      const index = listing.isFolder(start) ? undefined : listing.find(start);
      if (index !== undefined) await print(call, testedOf(listing, { path: start, index }), isWanted);
      for await (const found of pausing(walkFolder(listing, start, { maxDepth }), streams.signal))
        await print(call, testedOf(listing, found), isWanted);
    }
  },
};

/** `.`, `..`, `/` and `data/` are folders, even without a test; other words are patterns then. */
const IS_FOLDER = /^\.{0,2}$|\/$|(?:^|\/)\.\.?$/;

/** The pattern, if the arguments are one. @throws usage for several words without a test */
function pattern({ args, options }: ArchiveCall): ArchiveCall['args'][number] | undefined {
  const [word, more] = args;
  if (word === undefined || options.list.length > 0 || args.every(({ text }) => IS_FOLDER.test(text))) return undefined;
  if (more !== undefined)
    throw usageError('find wants one PATTERN, or folders and a test such as -name GLOB', 'help find');
  return word;
}

function wantedBy(call: ArchiveCall): (entry: Tested) => boolean {
  const word = pattern(call);
  if (word === undefined) return testOf(call.options.list);
  // Patterns count as patterns here even when they are quoted: quotes only keep other shells from expanding them.
  const isMatch = findMatcher(word.text, word.glob);
  const { folder } = call.session;
  return ({ path }) => isMatch(relativePath(folder, path));
}

interface Found {
  readonly path: RawPath;
  /** Undefined for a folder without an entry. */
  readonly index: number | undefined;
}

const testedOf = (listing: Listing, { path, index }: Found): Tested => ({
  path,
  type: index === undefined ? 'directory' : listing.type(index),
  sizeBytes: index === undefined ? 0 : listing.sizeBytes(index),
});

async function print(
  { session, out }: ArchiveCall,
  entry: Tested,
  isWanted: (entry: Tested) => boolean,
): Promise<void> {
  if (!isWanted(entry)) return;
  const end = entry.type === 'directory' ? '/' : '';
  await out.write(`${displayPath(relativeTo(session.folder, entry.path))}${end}\n`);
}
