// One file in as many chunks as 5 TB have: its line, its segment and the records of its chunks are within what readers allow.
import { expect, test } from 'vitest';
import { addEntries } from '../../../../src/core/format/manifest/compose-manifest.js';
import { loadSegments } from '../../../../src/core/format/manifest/load-segments.js';
import { linesOfSegment } from '../../../../src/core/format/manifest/loaded-manifest.js';
import type { ChunkRecord, Entry, ManifestHead } from '../../../../src/core/format/manifest/manifest-types.js';
import { placeProblem } from '../../../../src/core/format/manifest/manifest-check.js';
import { SegmentTexts } from '../../../../src/core/format/manifest/segment-texts.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { asUploadId } from '../../../support/as-upload-id.js';
import { raw } from '../../../support/raw.js';
import { tempFolder } from '../../../support/temp-folder.js';

const MIB = 2 ** 20;
const PIECE = 64 * MIB;
const SIZE = 5e12;

test('a file of 5 TB in one entry is written and read', { timeout: 60_000 }, async () => {
  const of = Math.ceil(SIZE / PIECE);
  const uploadId = asUploadId('20260101-000000-00000001');
  const digest = 'ab'.repeat(32);
  const frame = { size: 16 * MIB, rawSize: 16 * MIB, sha256: digest };
  const chunks = Array.from({ length: of }, (_, chunk): ChunkRecord => {
    const key = `../20260101-000000-${String(chunk % 80).padStart(8, '0')}/shard-${String(chunk % 32).padStart(2, '0')}/chunk-${String(chunk).padStart(6, '0')}.tar.zst`;
    const rest = { chunk, key, shard: chunk % 32, size: PIECE + 5000, rawSize: PIECE + 4096, entries: 1, level: 3 };
    return { ...rest, storageClass: 'STANDARD', sha256: digest, tocSize: 5000, frames: [frame, frame, frame, frame] };
  });
  const time = { seconds: 1_700_000_000, nanos: 0 };
  const segments = chunks.map((_, chunk) => ({ chunk, offset: 2048, size: Math.min(PIECE, SIZE - chunk * PIECE) }));
  const about = { mode: 0o644, uid: 0, gid: 0, mtime: time, ctime: time, inode: raw('1') };
  const entry = { path: raw('sky'), type: 'file', size: SIZE, md5: 'cd'.repeat(16), segments, ...about } as Entry;
  const texts = new SegmentTexts(1);
  await addEntries(texts, [entry]);
  const [made] = (await texts.finish(uploadId, chunks)).segments;
  const store = fileStore(await tempFolder());
  await store.put(`uploads/${uploadId}/${made?.place.key}`, made?.bytes ?? Buffer.alloc(0));

  const places = made === undefined ? [] : [made.place];
  const loaded = await loadSegments({ uploadId, segments: places, chunks: [] }, { reader: store });
  const head = { uploadId, totals: {}, chunks: loaded.chunks } as unknown as ManifestHead;
  const read: unknown[] = [];
  for (const segment of loaded.segments)
    for await (const batch of linesOfSegment({ head, document: {}, uploadId }, segment, await segment.read(), {}))
      read.push(...batch);

  expect(read).toEqual([entry]);
  expect(placeProblem(read[0] as Entry, loaded.chunks)).toBeUndefined();
  expect(loaded.chunks).toHaveLength(74_506);
});
