import { setImmediate } from 'node:timers/promises';
import { findMatcher } from '../../../core/format/manifest/find-pattern.js';
import { throwIfCancelled } from '../../../core/store/store-error.js';
import { displayPath } from '../../../core/platform/paths/raw-path.js';
import { relativePath } from '../../../core/shell/archive-path.js';
import type { ArchiveCommand } from '../archive-command.js';

/** Number of entries between pauses, in which Ctrl+C is noticed. */
const SLICE = 20_000;

export const find: ArchiveCommand = {
  name: 'find',
  usage: 'find PATTERN',
  summary: 'paths below this folder: "*.csv" by name, "data/**/*.csv" by path, a plain word anywhere in the path',
  args: ['nothing'],
  minArgs: 1,
  maxArgs: 1,
  async run({ session, args, out, streams }) {
    const { folder } = session;
    const [pattern] = args;
    if (pattern === undefined) return;
    // Patterns count as patterns here even when they are quoted: quotes only keep other shells from expanding them.
    const isMatch = findMatcher(pattern.text, pattern.glob);
    const listing = await session.reading(streams, (lazy, how) => lazy.readBelow(folder, how));
    const { start, end } = listing.below(folder);
    for (let index = start; index < end; index++) {
      if ((index - start) % SLICE === SLICE - 1) {
        await setImmediate();
        throwIfCancelled(streams.signal);
      }
      const path = relativePath(folder, listing.path(index));
      if (isMatch(path)) await out.write(`${displayPath(path)}${listing.type(index) === 'directory' ? '/' : ''}\n`);
    }
  },
};
