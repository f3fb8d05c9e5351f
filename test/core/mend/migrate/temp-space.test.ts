import { expect, test } from 'vitest';
import { type FreeSpace, TempSpace } from '../../../../src/core/mend/migrate/temp-space.js';

const GIB = 1024 ** 3;

function spaceWith(free: Partial<FreeSpace>) {
  let asked = 0;
  const left = { bytes: 10 * GIB, totalBytes: 100 * GIB, files: 1_000_000 as number | undefined, ...free };
  const space = new TempSpace('/tmp/x', () => {
    asked++;
    return left;
  });
  return { space, left, asked: () => asked };
}

test('what cannot fit is refused before it begins; a gibibyte, or a twentieth of a small disk, is kept for others', () => {
  const { space } = spaceWith({});
  expect(() => space.expect(9 * GIB)).not.toThrow();
  expect(() => space.expect(9 * GIB + 1)).toThrow(
    /does not fit into \/tmp\/x: it needs at least 9216\.0 MiB, and 9216\.0 MiB/,
  );

  const small = spaceWith({ bytes: 100, totalBytes: 1000 }).space;
  expect(() => small.expect(50)).not.toThrow();
  expect(() => small.expect(51)).toThrow('does not fit');
});

test('the disk is asked again while it fills, and seldom', () => {
  const { space, left, asked } = spaceWith({});
  for (let written = 0; written < 1600; written++) space.used(1 << 20, 0);
  expect(asked()).toBe(100);

  left.bytes = GIB - 1;
  expect(() => {
    for (let written = 0; written < 16; written++) space.used(1 << 20, 0);
  }).toThrow(expect.objectContaining({ code: 'no-space', hint: expect.stringContaining('--temp-dir') }));
});

test('many empty files are a bomb too', () => {
  const { space, left } = spaceWith({ files: 2000 });
  const make = (count: number): void => {
    for (let made = 0; made < count; made++) space.used(0, 1);
  };
  expect(() => make(1000)).not.toThrow();

  left.files = 1999;
  expect(() => make(1000)).toThrow('no room for more files');
  left.files = undefined;
  expect(() => make(5000)).not.toThrow();
});

test('the folder is text, whatever its characters would be as bytes', () => {
  const space = new TempSpace('/tmp/\u00c3\u00bc', () => ({ bytes: 0, totalBytes: 0, files: undefined }));

  expect(space.full('it is full').message).toContain('/tmp/\u00c3\u00bc: it is full');
});
