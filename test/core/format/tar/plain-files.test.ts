// Files that one header says everything about are passed without parsing it all: the outcome is the same, whatever the archive holds.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { errorText } from '../../../../src/core/platform/failures/errors.js';
import { TarReader, type TarSink } from '../../../../src/core/format/tar/tar-reader.js';
import { headerBlock, makeTar, type TarField, tarMember } from '../../mend/migrate/make-tar.js';

interface Outcome {
  /** Names of files with data, and where that begins; in the end what is wrong. */
  readonly said: string[];
  /** Files that were passed. */
  readonly plain: number;
}

function read(tar: Buffer, pieceBytes: number, isChunk: boolean, passes: boolean): Outcome {
  const said: string[] = [];
  let plain = 0;
  const sink: TarSink = {
    isBusy: false,
    member: ({ kind, path, dataOffset, dataSize }) => (
      kind === 'file' && dataSize > 0 && said.push(`${path} ${dataOffset}`),
      false
    ),
    data: ({ byteLength }) => byteLength,
    end: () => undefined,
    ...(passes && {
      plain: (bytes: Buffer, from: number, to: number, dataOffset: number) => {
        said.push(`${bytes.toString('latin1', from, to)} ${dataOffset}`);
        plain++;
      },
    }),
  };
  const reader = new TarReader(sink, { isChunk });
  try {
    for (let at = 0; at < tar.length; at += pieceBytes) reader.push(tar.subarray(at, at + pieceBytes));
    reader.finish();
  } catch (error) {
    said.push(errorText(error));
  }
  return { said, plain };
}

const names = fc.constantFrom('a', 'dir/b', 'dir/', '\xff\xfe', 'n'.repeat(100), '');
const plainField: fc.Arbitrary<TarField> = fc.record({
  path: names,
  content: fc.nat(1200).map((length) => 'x'.repeat(length)),
});
const otherField: fc.Arbitrary<TarField> = fc.record(
  {
    path: names,
    content: fc.constantFrom('', '7 a=b\n'),
    type: fc.constantFrom('0', '5', '1', 'L', '\0'),
    pax: fc.constant([['path', 'another'] as const]),
    magic: fc.constantFrom('ustar\u000000', 'ustar  \0', '\0\0\0\0\0\0\0\0'),
    bend: fc.constant((block: Buffer) => void block.write('prefix', 345)),
  },
  { requiredKeys: ['path', 'content'] },
);
const field = fc.oneof({ arbitrary: plainField, weight: 3 }, otherField);
const damage = fc.option(fc.tuple(fc.nat(), fc.nat(255)), { freq: 3 });

test('the outcome is that of parsing all headers, also of damaged ones, in pieces of any size', () => {
  let plain = 0;
  fc.assert(
    fc.property(
      fc.array(field, { maxLength: 6 }),
      fc.constantFrom(1, 3, 512, 700, 2048, 1 << 20),
      fc.boolean(),
      damage,
      (fields, pieceBytes, isChunk, damaged) => {
        const tar = makeTar(...fields);
        if (damaged !== null) tar[damaged[0] % tar.length] = damaged[1];
        const passed = read(tar, pieceBytes, isChunk, true);
        plain += passed.plain;

        expect(passed.said).toEqual(read(tar, pieceBytes, isChunk, false).said);
      },
    ),
    { numRuns: 2000 },
  );

  expect(plain).toBeGreaterThan(500);
});

test('what follows the end of a chunk is an error, although it is plain', () => {
  const tar = makeTar({ path: 'a', content: 'x' });

  expect(read(Buffer.concat([tar, tar]), tar.length * 2, true, true).said).toEqual([
    'a 512',
    expect.stringContaining('something follows the end of the archive'),
  ]);
});

test('what looks like the header of a plain file is none where it is a record of an extended header', () => {
  const record = Buffer.concat([headerBlock({ path: '1024 comment=' }, 1), Buffer.from(`${'y'.repeat(511)}\n`)]);
  const extended = tarMember({ path: 'extended', type: 'x', content: record });
  const tar = Buffer.concat([extended, makeTar({ path: 'outer', content: 'x' })]);

  for (const pieceBytes of [512, 1024, tar.length])
    expect(read(tar, pieceBytes, true, true)).toEqual({ said: ['outer 2048'], plain: 0 });
});

test('the name that GNU tar writes in a header of its own is that of the file after it', () => {
  const long = tarMember({ path: '././@LongLink', type: 'L', content: 'long name\0' });
  const tar = Buffer.concat([long, makeTar({ path: 'short', content: 'x' })]);

  expect(read(tar, tar.length, false, true)).toEqual({ said: ['long name 1536'], plain: 0 });
});
