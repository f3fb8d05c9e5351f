import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { lifespansOf, type Lifespan } from '../../../../src/core/dataset/history/lifespans.js';
import type { Line } from '../../../../src/core/format/manifest/manifest-parser.js';
import { histories, type HistoryLevel } from '../../../support/chain-model.js';
import { raw } from '../../../support/raw.js';

const levelOf = ({ uploadId, mentions }: HistoryLevel, batch: number) => ({
  uploadId,
  async *mentions(): AsyncGenerator<readonly Line[]> {
    for (let at = 0; at < mentions.length; at += batch) {
      if (at % 3 === 0) yield [];
      yield await Promise.resolve(mentions.slice(at, at + batch));
    }
  },
});

async function lives(newestFirst: readonly HistoryLevel[], batch = 2, isWanted = () => true): Promise<Lifespan[]> {
  const found: Lifespan[] = [];
  for await (const some of lifespansOf(
    newestFirst.map((level) => levelOf(level, batch)),
    isWanted,
  ))
    found.push(...some);
  return found;
}

test('one merge says of every version of any history what its own view says', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.integer({ min: 1, max: 5 }), async (history, batch) => {
      const found = await lives(history.map(({ level }) => level).toReversed(), batch);

      history.toReversed().forEach(({ view }, level) => {
        const here = found.filter(({ newest, oldest }) => newest <= level && level <= oldest);
        expect(here.map(({ entry }) => entry)).toEqual(
          [...view].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { entry }]) => entry),
        );
      });
    }),
    { numRuns: 300 },
  );
});

test('what was hidden by a name that is over hides no longer', async () => {
  const mention = (path: string, type: 'file' | 'directory' | 'deleted') => ({ path: raw(path), type }) as Line;
  const level = (...mentions: Line[]) => ({ mentions }) as unknown as HistoryLevel;
  const found = await lives([
    level(mention('d0', 'deleted')),
    level(mention('d.', 'file')),
    level(mention('d0', 'directory'), mention('d0/d', 'file')),
  ]);

  expect(found.map(({ entry, newest, oldest }) => [entry.path, newest, oldest])).toEqual([
    ['d.', 0, 1],
    ['d0', 1, 2],
    ['d0/d', 1, 2],
  ]);
});

test('what is not wanted is left out, and hides nevertheless', async () => {
  const entry = (path: string, type: 'file' | 'directory') => ({ path: raw(path), type }) as Line;
  const level = (...mentions: Line[]) => ({ mentions }) as unknown as HistoryLevel;
  const newestFirst = [level(entry('d', 'file')), level(entry('d', 'directory'), entry('d/a', 'file'))];
  const found: Lifespan[] = [];
  for await (const some of lifespansOf(
    newestFirst.map((one) => levelOf(one, 2)),
    (path) => path === 'd/a',
  ))
    found.push(...some);

  expect(found).toEqual([{ entry: entry('d/a', 'file'), newest: 1, oldest: 1 }]);
});
