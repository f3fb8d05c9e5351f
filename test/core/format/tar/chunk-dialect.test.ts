// The reader, told that it reads a chunk: only what archiver writes, and where the data of each member begins.
import { expect, test } from 'vitest';
import { TarReader } from '../../../../src/core/format/tar/tar-reader.js';
import { makeTar, type TarField } from '../../mend/migrate/make-tar.js';

function readChunk(tar: Buffer): string[] {
  const seen: string[] = [];
  const reader = new TarReader(
    {
      isBusy: false,
      member: ({ path, dataOffset, dataSize }) => (seen.push(`${path} ${dataOffset} ${dataSize}`), false),
      data: ({ byteLength }) => byteLength,
      end: () => undefined,
    },
    { isChunk: true },
  );
  reader.push(tar);
  reader.finish();
  return seen;
}

test('says where the data of each member begins, after an extended header and after the map of a sparse file', () => {
  const map = '1\n10\n5\n'.padEnd(512, '\0');
  const tar = makeTar(
    { path: 'a', content: 'first' },
    { path: 'b', content: 'second', pax: [['mtime', '1.5']] },
    {
      path: 'c',
      content: `${map}abcde`,
      pax: [
        ['GNU.sparse.major', '1'],
        ['GNU.sparse.minor', '0'],
        ['GNU.sparse.name', 'c'],
        ['GNU.sparse.realsize', '20'],
      ],
    },
  );

  expect(readChunk(tar)).toEqual(['a 512 5', 'b 2560 6', 'c 5120 5']);
});

test.each<[string, TarField]>([
  ['L', { path: '././@LongLink', type: 'L', content: 'name\0' }],
  ['g', { path: 'global', type: 'g', content: '9 uid=1\n' }],
  ['S', { path: 'old sparse', type: 'S' }],
  ['6', { path: 'fifo', type: '6' }],
])("a header of type '%s' is an error: no chunk has it", (type, field) => {
  expect(() => readChunk(makeTar(field))).toThrow(`no chunk has a header of type '${type}'`);
});

test('a second archive after the end is an error', () => {
  const tar = makeTar({ path: 'a' });

  expect(() => readChunk(Buffer.concat([tar, tar]))).toThrow(
    `at byte ${tar.length}: something follows the end of the archive`,
  );
});

test('an archive that is cut off is an error', () => {
  expect(() => readChunk(makeTar({ path: 'a' }).subarray(0, 512))).toThrow('cut off');
});
