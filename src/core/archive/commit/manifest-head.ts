// The head of a manifest: what it says before its entries.
import { recordedClass } from '../run/dataset-class.js';
import { loadCodec } from '../../platform/codec/codec.js';
import { FORMAT_VERSION, type ManifestHead, type SourceRecord } from '../../format/manifest/manifest-types.js';
import { lockRecord } from '../../format/manifest/object-lock.js';
import { NO_REQUIREMENTS } from '../../format/manifest/requirements.js';
import { parseStoreUrl } from '../../store/store-url.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { deduplicatedTotals } from '../dedup/dedup-totals.js';
import { defined } from '../../platform/defined.js';
import type { UploadRun } from '../run/upload-run.js';
import type { UploadPlan } from '../plan/plan-upload.js';
import { readAccountNames } from '../scan/account-names.js';

export type HeadInput = Pick<
  UploadRun,
  | 'source'
  | 'dataset'
  | 'packing'
  | 'layout'
  | 'labels'
  | 'store'
  | 'region'
  | 'scanned'
  | 'ledger'
  | 'uploadId'
  | 'datasetId'
  | 'createdAt'
  | 'encryption'
  | 'retention'
>;

/** The parts of the head that depend on what the manifest lists. */
export type HeadContent = Pick<
  ManifestHead,
  'listing' | 'previous' | 'chain' | 'view' | 'totals' | 'shards' | 'chunks'
>;

/** Returns the folder that people know; it differs from `source` if that is only a copy. */
export const originPath = ({ dataset, source }: Pick<UploadRun, 'dataset' | 'source'>): RawPath =>
  dataset.origin?.path ?? source;

/** Returns the head of this upload's manifest. */
export function manifestHead(
  run: HeadInput,
  plan: Pick<UploadPlan, 'shards' | 'chunkBytes'>,
  part: HeadContent,
): ManifestHead {
  const { dataset, packing, layout, labels } = run;
  const { root } = run.scanned;
  const { listing, previous, chain, view, totals, shards, chunks } = part;
  const { tags, project, provenance } = labels;
  const { git, dvc } = provenance ?? {};
  const { writerId, uploader } = dataset;
  return {
    format: FORMAT_VERSION,
    type: 'archiver-manifest',
    requires: NO_REQUIREMENTS,
    tool: labels.tool,
    codec: loadCodec().version,
    uploadId: run.uploadId,
    createdAt: run.createdAt.toISOString(),
    listing,
    ...defined({ previous, chain, view }),
    datasetId: run.datasetId,
    ...defined({ writerId, uploader }),
    source: {
      path: originPath(run),
      host: dataset.host,
      mode: root.mode & 0o7777,
      mtime: { seconds: root.mtimeSeconds, nanos: root.mtimeNanos },
      uid: root.uid,
      gid: root.gid,
      ...accounts(root),
      ...defined({ archive: dataset.origin?.archive }),
    },
    storage: storage(run),
    ...defined({ objectLock: lockRecord(run.retention) }),
    ...defined({ project, tags: Object.keys(tags).length === 0 ? undefined : tags }),
    settings: {
      shardStrategy: layout.shardStrategy,
      shardCount: plan.shards,
      compression: { algorithm: 'zstd', level: packing.compressionLevel ?? null },
      frameSize: packing.frameBytes,
      chunkSize: plan.chunkBytes,
      fileChecksums: packing.fileChecksums,
      ...(packing.dedup === true ? { dedup: true } : {}),
    },
    ...defined({ dedup: packing.dedup === true ? deduplicatedTotals(run.ledger.table) : undefined, git, dvc }),
    totals,
    shards,
    chunks,
  };
}

function storage({ layout, store, region, encryption: { kmsKeyId } }: HeadInput): ManifestHead['storage'] {
  const place = parseStoreUrl(store.url);
  if (place.kind === 'file') return { folder: place.folder };
  const { bucket, prefix } = place;
  return {
    bucket,
    prefix,
    ...defined({ region }),
    storageClass: recordedClass(layout),
    ...defined({ kmsKeyId }),
  };
}

function accounts({ uid, gid }: { readonly uid: number; readonly gid: number }): Pick<SourceRecord, 'user' | 'group'> {
  const names = readAccountNames();
  return defined({ user: names.user(uid), group: names.group(gid) });
}
