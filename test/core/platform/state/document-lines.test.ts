// Files of documents, read from their ends: lines that cross blocks, that are torn, damaged or too long.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeStateDocument } from '../../../../src/core/platform/state/document.js';
import { documentsFromEnd, readDocuments } from '../../../../src/core/platform/state/document-lines.js';
import * as s from '../../../../src/core/platform/documents/schema.js';
import { tempFolder } from '../../../support/temp-folder.js';

const BODY = s.schema(() => s.object({ number: s.count }));
const KIND = { type: 'thing', format: 1, noun: 'thing', body: BODY } as const;
const lineOf = (number: number, bytes: number): string =>
  encodeStateDocument(KIND, { number, text: 'x'.repeat(bytes) });

async function fromEnd(path: string, mayHold: (line: Buffer) => boolean = () => true): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const { number } of documentsFromEnd(path, KIND, mayHold)) found.push(number);
  return found;
}

test('from the end come the same documents as from the start, in the other order', async () => {
  const path = join(await tempFolder(), 'things.jsonl');
  expect(await fromEnd(path)).toEqual([]);
  // Of 256 KiB that are read at once lines end everywhere: right before, right after, and far from there.
  const sizes = Array.from({ length: 60 }, (_, at) => [100, 262_144, 261_900, 524_288, 65_400, 1][at % 6] ?? 0);
  writeFileSync(path, sizes.map((bytes, number) => lineOf(number, bytes + number)).join(''));
  appendFileSync(path, `\n\n{"torn\n${'y'.repeat(3_000_000)}\n${lineOf(60, 3)}${lineOf(61, 2_000_000)}{"type":"thing"`);

  const { found, skipped } = await readDocuments(path, KIND);

  expect([found.length, found.at(-1)?.number, skipped]).toEqual([61, 60, 4]);
  expect(await fromEnd(path)).toEqual(found.map(({ number }) => number).toReversed());
  expect(await fromEnd(path, (line) => line.includes('"number":60,'))).toEqual([60]);
});
