import { expect, test } from 'vitest';
import { EntryParser } from '../../../../src/core/format/manifest/entry-json-parse.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { randomOf } from '../../../support/random.js';

const ENTRY = {
  path: 'a/b.txt',
  type: 'file',
  size: 9229,
  mtime: '2026-04-21T14:49:31.000000001Z',
  mode: '0644',
  uid: 0,
  gid: 7,
  user: 'root',
  group: 'staff',
  md5: 'd3e6f10a716c34d80e276931dc79169c',
  xxh64: 'ee3931b967a23601',
  chunk: 3,
  offset: 4_837_376,
  holes: [[4096, 8192]],
  sizes: { later: ['than this', 1] },
  changed: true,
  ctime: '2026-11-27T09:20:11.879941974Z',
  inode: '3932494',
  commit: 'd3e6f10a716c34d80e276931dc79169cd3e6f10a',
};

test('the order of the keys and the space between them change nothing', () => {
  const random = randomOf(1);
  const parse = (text: string, isDescriptive: boolean) => new EntryParser(isDescriptive).parse(rawFromText(text));
  for (const isDescriptive of [true, false]) {
    const written = parse(JSON.stringify(ENTRY), isDescriptive);
    expect(written).toMatchObject({ path: 'a/b.txt', size: 9229, gid: 7, chunk: 3, changed: true });
    expect('ctime' in written && written.ctime.nanos).toBe(isDescriptive ? 879_941_974 : 1);
    for (let round = 0; round < 200; round++) {
      const keys = Object.entries(ENTRY)
        .map((member) => ({ member, place: random(1000) }))
        .sort((a, b) => a.place - b.place)
        .map(({ member }) => member);
      const indent = random(3);
      const text = JSON.stringify(Object.fromEntries(keys), undefined, indent).replaceAll(/\n */g, ' ');
      expect(parse(text, isDescriptive)).toEqual(written);
    }
  }
});

test('a key that is there twice is refused, wherever it stands', () => {
  const text = JSON.stringify(ENTRY);
  for (const key of ['path', 'size', 'commit'] as const) {
    const again = `${text.slice(0, -1)},${JSON.stringify(key)}:${JSON.stringify(ENTRY[key])}}`;
    expect(() => new EntryParser().parse(rawFromText(again))).toThrow(`'${key}' twice`);
  }
});
