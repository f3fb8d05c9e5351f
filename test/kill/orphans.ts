// What no version refers to, and whether a prune that keeps every version would name it.
import { planPrune } from '../../src/core/dataset/prune/plan-prune.js';
import { openVersion } from '../../src/core/dataset/chain/version-view.js';
import { listDatasets, readVersion } from '../../src/core/dataset/records/versions.js';
import { chunkKey } from '../../src/core/format/manifest/manifest-check.js';
import { manifestKeys } from '../../src/core/format/manifest/manifest-copy.js';
import type { ObjectReader } from '../../src/core/store/object-store.js';

const signal = new AbortController().signal;

/** What a repair keeps of a manifest that it replaced. */
const KEPT = /\/manifest\.json\.gz\.damaged-[0-9a-f]{8}\.bak$/;

/** What says that a prune is under way: of one that was killed it stays for two hours, and until versions are retired again. */
const NOTICE = /^datasets\/[^/]+\/prune-[0-9a-f]{8}\.json$/;

/** Keys that are no record, no manifest of a version or copy of one, and no chunk that such a manifest lists. */
export async function orphansOf(reader: ObjectReader): Promise<string[]> {
  const used = new Set<string>();
  const listed = await listDatasets(reader, signal);
  for (const ordinals of listed.ordinals.values()) for (const { key } of ordinals) used.add(key);
  for (const [datasetId, versions] of listed.versions) {
    for (const { key, version } of versions) {
      used.add(key);
      const { chain } = await openVersion(reader, await readVersion(reader, { datasetId, version }));
      for (const loaded of chain) {
        const { uploadId, head } = loaded;
        for (const manifest of manifestKeys(loaded)) used.add(manifest);
        for (const chunk of head.chunks) used.add(chunkKey(uploadId, chunk.key) ?? chunk.key);
      }
    }
  }
  const keys: string[] = [];
  for await (const { objects } of reader.list()) keys.push(...objects.map(({ key }) => key));
  return keys.filter((key) => !used.has(key) && !KEPT.test(key) && !NOTICE.test(key));
}

/** Orphans that a dry run of `dataset prune --abandoned-after 0` would not name. Where there is no version, none counts. */
export async function unnamedOrphans(reader: ObjectReader): Promise<string[]> {
  const orphans = await orphansOf(reader);
  const [datasetId] = [...(await listDatasets(reader, signal)).versions.keys()];
  if (datasetId === undefined) return [];
  const keep = { last: Number.MAX_SAFE_INTEGER };
  const later = new Date(Date.now() + 86_400_000);
  const plan = await planPrune(reader, { datasetId, keep, abandonedAfterMs: 0, graceMs: 0, now: later, signal });
  const { sweep, marked } = plan;
  const objects = [
    ...marked.flatMap((upload) => upload.objects),
    ...sweep.objects,
    ...sweep.marks.map((mark) => mark.object),
  ];
  const named = new Set(objects.map(({ key }) => key));
  return orphans.filter((key) => !named.has(key));
}
