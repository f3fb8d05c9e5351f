import { describe, expect, test } from 'vitest';
import {
  checkNewTag,
  parseVersionSelector,
  resolveVersion,
} from '../../../../src/core/dataset/records/version-selector.js';
import type { Json } from '../../../support/make-archive.js';
import { DATASET, makeDataset, recordBytes, recordKey } from '../../../support/make-dataset.js';
import { memoryReader } from '../../../support/memory-reader.js';

const made = makeDataset([{ files: [{ path: 'a', content: 'a' }] }]);
const { digest: _digest, ...document } = JSON.parse((made.objects.get(recordKey(1)) ?? '').toString()) as Json;

/** A store in which the dataset has these versions, made at these moments. */
const store = (moments: Readonly<Record<number, string>>, ...others: string[]) => {
  const records = Object.entries(moments).map(([version, createdAt]): [string, Buffer] => [
    recordKey(Number(version)),
    recordBytes({ ...document, version: Number(version), createdAt }),
  ]);
  const beside = others.map((id): [string, Buffer] => [recordKey(1, id), Buffer.from('{}')]);
  const reader = memoryReader(new Map([...records, ...beside]));
  return {
    ...reader,
    // The map's listing knows no delimiter.
    async *list(options: Parameters<typeof reader.list>[0]) {
      for await (const page of reader.list(options)) {
        const names = page.objects.map(({ key }) => /^datasets\/[^/]+\//.exec(key)?.[0] ?? '');
        yield options?.delimiter === undefined ? page : { objects: [], prefixes: [...new Set(names)] };
      }
    },
  };
};
const THREE = {
  3: '2026-03-01T10:00:00.000Z',
  5: '2026-03-31T23:59:59.999Z',
  6: '2026-04-01T00:00:00.000Z',
};
const resolve = async (text: string, reader = store(THREE), id = DATASET): Promise<number> =>
  (await resolveVersion(reader, id, parseVersionSelector(text))).version;

describe('a version selector', () => {
  test.each([
    ['HEAD', 6],
    ['head', 6],
    ['latest', 6],
    ['2026-03-31T23:59', 5],
    ['2026-03-31T23:58', 3],
    ['2026-04-01T00:00', 6],
    ['5', 5],
    ['v3', 3],
    ['2026-04-01', 6],
    ['2026-03-31', 5],
    ['2026-03-30', 3],
    ['2030-01-01', 6],
  ])('%s is version %i', async (text, version) => {
    expect(await resolve(text)).toBe(version);
  });

  test('a day goes by ordinals: a clock that went back does not bring an older version back', async () => {
    const reader = store({ 1: '2026-03-01T00:00:00Z', 2: '2026-03-09T00:00:00Z', 3: '2026-03-02T00:00:00Z' });

    expect(await resolve('2026-03-09', reader)).toBe(3);
    expect(await resolve('2026-03-01', reader)).toBe(1);
  });

  test.each(['', '0', 'v0', '-1', '2026-03-01T0:00', '1 2'])('%j is refused', (text) => {
    expect(() => parseVersionSelector(text)).toThrow(/invalid version selector/);
  });

  test.each(['2026-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '2026-02-30T10:00', '2026-02-03T24:00'])(
    '%s is no day',
    (text) => {
      expect(() => parseVersionSelector(text)).toThrow(`there is no day ${text}`);
    },
  );

  test('29 February of a leap year is one', () => {
    expect(parseVersionSelector('2024-02-29')).toEqual({
      kind: 'by',
      text: '2024-02-29',
      endMs: Date.UTC(2024, 2, 1),
    });
  });
});

describe('a tag', () => {
  const tagged = (...tags: readonly (readonly [number, string])[]) => {
    const { list, ...reader } = store(THREE);
    const objects = tags.map(([version, tag]) => ({
      key: `datasets/${DATASET}/tags/v0000000${version}.${tag}.json`,
      sizeBytes: 2,
      etag: 'e',
      lastModified: new Date(0),
      storageClass: 'STANDARD',
    }));
    return {
      ...reader,
      async *list(options: Parameters<typeof list>[0]) {
        for await (const page of list(options)) yield { ...page, objects: [...objects, ...page.objects] };
      },
    };
  };

  test.each(['submitted', '1.5', '2026-3-1', 'release-2026'])('%s is its version', async (tag) => {
    expect(await resolve(tag, tagged([5, tag], [3, 'other']))).toBe(5);
  });

  test('of several versions is the newest, which is said', async () => {
    const warned: string[] = [];
    const { version } = await resolveVersion(tagged([3, 'kept'], [5, 'kept']), DATASET, parseVersionSelector('kept'), {
      warn: (text) => warned.push(text),
    });

    expect([version, warned]).toEqual([5, ['v3, v5 are tagged kept; v5 is taken, the newest']]);
  });

  test('that no version has names those that there are', async () => {
    await expect(resolve('kept', tagged([3, 'other']))).rejects.toMatchObject({
      code: 'usage',
      message: `dataset ${DATASET} has no version tagged 'kept' (its tags are other)`,
    });
    await expect(resolve('kept')).rejects.toThrow('none of its versions has a tag');
  });

  test.each(['v3', '3', '3.b', 'Latest', 'head', '2026-03-31'])('is never %s, which is a version', (tag) => {
    expect(() => checkNewTag(tag)).toThrow(`--version ${tag} means something else`);
  });
});

describe('what is not there', () => {
  test('a version: says which there are', async () => {
    const reader = store({ ...THREE, 7: '2026-05-01T00:00:00Z', 8: '2026-05-01T00:00:00Z', 9: '2026-05-01T00:00:00Z' });

    await expect(resolve('4', reader)).rejects.toThrow(`dataset ${DATASET} has no version 4 (it has 3, 5-9)`);
  });

  test('a day before the first: says when that was', async () => {
    await expect(resolve('2026-02-28')).rejects.toThrow(
      /no version of 2026-02-28 or before \(its oldest, v3, is of 2026-03-01\)/,
    );
  });

  test('a dataset: names those that there are', async () => {
    await expect(resolve('HEAD', store(THREE, 'data-2'), 'nothing')).rejects.toMatchObject({
      code: 'not-found',
      message: 'no dataset nothing found under memory:',
      hint: `did you mean data-2, ${DATASET}?`,
    });
  });

  test('a dataset among many: names those that begin alike', async () => {
    const reader = store(THREE, 'results-1', 'results-2', 'photos-1', 'Resources-9');

    await expect(resolve('HEAD', reader, 'results-3')).rejects.toMatchObject({
      hint: 'did you mean results-1, results-2, Resources-9?',
    });
    await expect(resolve('HEAD', reader, 'xyz')).rejects.toMatchObject({
      hint: `archiver list memory:; there are Resources-9, ${DATASET}, photos-1, results-1, results-2`,
    });
  });

  test('every dataset', async () => {
    await expect(resolve('HEAD', store({}))).rejects.toMatchObject({ hint: 'archiver list memory:' });
  });
});
