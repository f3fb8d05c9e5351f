// Versions whose listings lie in small segments, and what is done to these. The test file lowers the sizes: see small.ts.
import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { manifestPath, uploaded } from '../repair/repair-cases.js';

export interface Place {
  key: string;
  size: number;
  sha256: string;
  counts: Record<string, number>;
  first: string;
  index?: { size: number; sha256: string };
}

type Head = Record<string, unknown> & { segments: Place[]; files: unknown[]; totals: Record<string, number> };

export const headOf = (base: string, uploadId: string): Head =>
  JSON.parse(gunzipSync(readFileSync(manifestPath(base, uploadId))).toString()) as Head;

/** Path of a segment that the manifest of this upload names. */
export const segmentPath = (base: string, uploadId: string, at: number): string =>
  join(base, 'uploads', uploadId, headOf(base, uploadId).segments[at]?.key ?? '');

export const contentOf = (name: string): string => `content of ${name} `.repeat(40);

/** A folder of 32 files in four folders: 36 entries, nine segments. */
export function makeSource(source: string): void {
  for (const folder of ['a', 'b', 'c', 'd']) {
    mkdirSync(join(source, folder), { recursive: true });
    for (let at = 0; at < 8; at++) writeFileSync(join(source, folder, `f${at}`), contentOf(`${folder}${at}`));
  }
}

const changes = { trackDeletes: true };

/** Three versions: everything, a file of `b` changed, a file of `d` changed. */
export async function threeVersions(source: string, base: string, options: object = {}): Promise<string[]> {
  makeSource(source);
  const ids = [await uploaded(source, base, { changes, ...options })];
  writeFileSync(join(source, 'b/f3'), contentOf('new b3'));
  ids.push(await uploaded(source, base, { changes, ...options }));
  writeFileSync(join(source, 'd/f3'), contentOf('new d3'));
  ids.push(await uploaded(source, base, { changes, ...options }));
  return ids;
}

/** Rewrites the head of a manifest with segments. */
export function rewriteHead(base: string, uploadId: string, change: (head: Head) => void): void {
  const document = headOf(base, uploadId);
  change(document);
  const { files: _files, chunks, ...head } = document;
  const start = JSON.stringify(head).slice(0, -1);
  writeFileSync(
    manifestPath(base, uploadId),
    gzipSync(`${start},\n"chunks":${JSON.stringify(chunks)},\n"files":[\n]}\n`),
  );
}

/** Rewrites the text of a segment, and what the manifest says of its bytes. */
export function rewriteSegment(base: string, uploadId: string, at: number, change: (text: string) => string): void {
  const bytes = gzipSync(change(gunzipSync(readFileSync(segmentPath(base, uploadId, at))).toString()));
  const sha256 = hash('sha256', bytes, 'hex');
  const key = `manifest/${String(at + 1).padStart(6, '0')}-${sha256.slice(0, 8)}.json.gz`;
  rewriteHead(base, uploadId, ({ segments }) => {
    const { index: _index, ...place } = segments[at] as Place;
    segments[at] = { ...place, key, size: bytes.length, sha256 };
  });
  writeFileSync(join(base, 'uploads', uploadId, key), bytes);
}

export const segmentsIn = (base: string, uploadId: string): string[] =>
  readdirSync(join(base, 'uploads', uploadId, 'manifest')).sort();
