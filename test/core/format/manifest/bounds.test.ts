// What a hostile manifest of a few bytes may cost: docs/decisions/016.
import { expect, test } from 'vitest';
import { parseBoundedJson } from '../../../../src/core/platform/json/json-guard.js';
import { ManifestLines, MAX_LINE_BYTES } from '../../../../src/core/format/manifest/manifest-lines.js';

const MIB = 2 ** 20;
const PIECE = Buffer.alloc(64 * 1024, 'y');

function linesOf(pieces: Iterable<Buffer>): { head: string; text: string } {
  const seen = { head: '', text: '' };
  const lines = new ManifestLines('the manifest', {
    head: (text) => (seen.head = text),
    lines: (lines) => (seen.text += lines.toString('latin1')),
  });
  for (const piece of pieces) lines.push(piece);
  lines.end();
  return seen;
}

function* longLine(bytes: number): Generator<Buffer> {
  yield Buffer.from('{"a":1,\n"files":[\n');
  for (let left = bytes; left > 0; left -= PIECE.byteLength) yield PIECE.subarray(0, left);
  yield Buffer.from('\n]}\n');
}

test('a line of 60 MiB is cut in seconds, because no part of it is copied again for the next', () => {
  const startedAt = process.cpuUsage();
  const { text } = linesOf(longLine(60 * MIB));
  const { user } = process.cpuUsage(startedAt);

  expect(text).toHaveLength(60 * MIB + 1);
  expect(user / 1e6).toBeLessThan(5);
});

test('a longer line is refused', () => {
  expect(() => linesOf(longLine(MAX_LINE_BYTES + 1))).toThrow(
    `the manifest has a line of more than ${MAX_LINE_BYTES} bytes: refused`,
  );
});

test('a manifest that comes byte by byte is cut as one that comes whole', () => {
  const whole = Buffer.from('{"ä":1,\n"files":[\n{"p":"ö"},\n{"p":"]}"}\n]}\n');
  const bytes = [...whole].map((byte) => Buffer.of(byte));

  expect(linesOf(bytes)).toEqual(linesOf([whole]));
  expect(linesOf(bytes)).toEqual({ head: '{"ä":1,\n"files":[]}', text: '{"p":"Ã¶"},\n{"p":"]}"}\n' });
});

test.each([
  ['objects and lists', '[],'],
  ['values', '0,'],
])('a document of small %s is refused before it is parsed', (what, text) => {
  const document = `[${text.repeat(Math.ceil((32 * MIB) / text.length))}0]`;

  expect(() => parseBoundedJson(document, 16, 'the manifest')).toThrow(
    `the manifest has too many ${what} for its length: refused`,
  );
});

test('a document of frames is not, however long', () => {
  const frame = { size: 1, rawSize: 2, sha256: '0'.repeat(64) };
  const document = JSON.stringify(Array.from({ length: 400_000 }, () => frame));

  expect(parseBoundedJson(document, 16, 'the manifest')).toHaveLength(400_000);
});
