// Files of documents, read from their ends: lines that cross blocks, that are torn, damaged or too long.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeStateDocument } from '../../../src/core/state/document.js';
import { documentsFromEnd, readDocuments } from '../../../src/core/state/document-lines.js';
import type { Fields } from '../../../src/core/json/json-fields.js';
import { tempFolder } from '../../support/temp-folder.js';

const KIND = { type: 'thing', format: 1, noun: 'thing' } as const;
const numberIn = (fields: Fields): number => fields.count('number');
const lineOf = (number: number, bytes: number): string =>
  encodeStateDocument(KIND, { number, text: 'x'.repeat(bytes) });

async function fromEnd(path: string, mayHold: (line: Buffer) => boolean = () => true): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const number of documentsFromEnd(path, KIND, numberIn, mayHold)) found.push(number);
  return found;
}

test('from the end come the same documents as from the start, in the other order', async () => {
  const path = join(await tempFolder(), 'things.jsonl');
  expect(await fromEnd(path)).toEqual([]);
  // Of 256 KiB that are read at once lines end everywhere: right before, right after, and far from there.
  const sizes = Array.from({ length: 60 }, (_, at) => [100, 262_144, 261_900, 524_288, 65_400, 1][at % 6] ?? 0);
  writeFileSync(path, sizes.map((bytes, number) => lineOf(number, bytes + number)).join(''));
  appendFileSync(path, `\n\n{"torn\n${'y'.repeat(3_000_000)}\n${lineOf(60, 3)}${lineOf(61, 2_000_000)}{"type":"thing"`);

  const { found, skipped } = await readDocuments(path, KIND, numberIn);

  expect([found.length, found.at(-1), skipped]).toEqual([61, 60, 4]);
  expect(await fromEnd(path)).toEqual(found.toReversed());
  expect(await fromEnd(path, (line) => line.includes('"number":60,'))).toEqual([60]);
});
