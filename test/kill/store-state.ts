// What a store must be at any instant: every version that was committed is there with all of its chunks, and nothing that
// can be seen is half.
import { createHash } from 'node:crypto';
import { listVersions, readVersion } from '../../src/core/dataset/records/versions.js';
import { openView } from '../../src/core/dataset/chain/view.js';
import { chunkKey } from '../../src/core/format/manifest/manifest-check.js';
import type { ObjectReader } from '../../src/core/store/object-store.js';
import { readAll } from '../../src/core/store/read-content.js';
import { asUploadId } from '../support/as-upload-id.js';

/** One line a path: what the version says of it, wherever its content lies. */
export type VersionContent = readonly string[];

/**
 * Content by `<dataset id> v<ordinal>`. @throws when anything that can be seen is not whole, but for the upload of the
 * version `damaged`, which is then left out
 */
export async function readStore(reader: ObjectReader, damaged?: string): Promise<Map<string, VersionContent>> {
  const keys: string[] = [];
  for await (const page of reader.list({})) keys.push(...page.objects.map(({ key }) => key));
  const versions = new Map<string, VersionContent>();
  const unreadable = new Set<string>();
  const datasets = new Set(keys.flatMap((key) => /^datasets\/([^/]+)\/v\d+\.json$/.exec(key)?.[1] ?? []));
  for (const datasetId of datasets) {
    for (const { version } of await listVersions(reader, datasetId)) {
      const record = await readVersion(reader, { datasetId, version });
      const { manifestSha256, replacementSha256 } = record;
      const sha256 = replacementSha256 === undefined ? [manifestSha256] : [manifestSha256, replacementSha256];
      const name = `${datasetId} v${version}`;
      const reading = contentOf(reader, record.uploadId, sha256);
      const content = await (name === damaged ? reading.catch(() => undefined) : reading);
      if (content === undefined) unreadable.add(record.uploadId);
      else versions.set(name, content);
    }
  }
  for (const key of keys) {
    const uploadId = /^uploads\/([^/]+)\/manifest\.json\.gz$/.exec(key)?.[1];
    if (uploadId !== undefined && !unreadable.has(uploadId)) await contentOf(reader, uploadId, []);
  }
  return versions;
}

async function contentOf(reader: ObjectReader, uploadId: string, sha256: readonly string[]): Promise<VersionContent> {
  const view = await openView(reader, { uploadId: asUploadId(uploadId), sha256 });
  const lines: string[] = [];
  const used = new Set<number>();
  for await (const batch of view.entries()) {
    for (const { path, type, size, mtime, mode, md5, chunk, segments, target } of batch) {
      lines.push(JSON.stringify({ path, type, size, mtime, mode, md5, target }));
      for (const place of segments?.map((segment) => segment.chunk) ?? (chunk === undefined ? [] : [chunk]))
        used.add(place);
    }
  }
  for (const [position, record] of view.chunks.entries()) {
    if (!used.has(position)) continue;
    const key = chunkKey(asUploadId(uploadId), record.key) ?? record.key;
    const bytes = await readAll(await reader.get(key), record.size);
    if (bytes.length !== record.size) throw new Error(`${key} is not ${record.size} bytes long`);
    if (createHash('sha256').update(bytes).digest('hex') !== record.sha256) throw new Error(`${key} is damaged`);
  }
  return lines;
}
