// The last steps of an upload: the manifest from what was packed, then the commit protocol.
import { FORMAT_VERSION, type ManifestHead, type Totals } from '../manifest/manifest-types.js';
import type { EncodedManifest } from '../manifest/manifest-writer.js';
import { parseStoreUrl } from '../object-store/store-url.js';
import { throwIfCancelled } from '../object-store/store-error.js';
import { textFromRaw } from '../raw-path.js';
import { loadCodec } from '../codec/codec.js';
import { commitManifest, commitVersion, confirmChunks } from './commit.js';
import type { UploadJob } from './upload.js';

export interface PreparedManifest {
  readonly totals: Totals;
  readonly encoded: Promise<EncodedManifest>;
}

/** Finishes the manifest of what was packed. @throws internal when an entry is unaccounted for */
export function prepareManifest(job: UploadJob): PreparedManifest {
  const { ledger } = job;
  const totals = ledger.totals(job.scanned.skipped.length);
  const encoded = job.manifest.finish(manifestHead(job, totals));
  encoded.catch(() => undefined); // awaited when everything is sent
  return { totals, encoded };
}

/** Makes the upload true and returns the ordinal of its version. */
export async function commitUpload(
  job: UploadJob,
  { totals, encoded }: PreparedManifest,
  versions: Promise<number | undefined>,
): Promise<number> {
  const { options, ledger, opened, sender, uploadId } = job;
  const { signal } = options;
  options.emit({ type: 'phase', phase: 'committing' });
  const folder = `uploads/${uploadId}`;
  const manifestKey = `${folder}/manifest.json.gz`;
  const [manifest, confirmed, highest] = await Promise.all([
    encoded,
    confirmChunks(opened.store, folder, ledger.chunks(), signal),
    versions,
  ]);
  if (!confirmed)
    options.emit({ type: 'note', text: 'this writer may not list: chunks were not counted before the commit' });
  throwIfCancelled(signal);
  sender.keep();
  await commitManifest(opened.store, manifestKey, manifest, signal);
  const version = await commitVersion(
    opened.store,
    {
      format: FORMAT_VERSION,
      type: 'archiver-version',
      datasetId: job.datasetId,
      uploadId,
      manifestKey,
      manifestSha256: manifest.sha256,
      createdAt: job.createdAt.toISOString(),
      listing: 'full',
      source: { ...sourcePath(job), host: options.host },
      totals,
      ...(options.writerId === undefined ? {} : { writerId: options.writerId }),
    },
    highest,
    signal,
  );
  options.emit({ type: 'done' });
  return version;
}

function sourcePath(job: UploadJob): { path: string } | { pathBase64: string } {
  const path = textFromRaw(job.options.source);
  return path === undefined ? { pathBase64: Buffer.from(job.options.source, 'latin1').toString('base64') } : { path };
}

function storage({ options, opened }: UploadJob): ManifestHead['storage'] {
  const place = parseStoreUrl(opened.store.url);
  if (place.kind === 'file') return { folder: place.folder };
  const { bucket, prefix } = place;
  const region = opened.region === undefined ? {} : { region: opened.region };
  return {
    bucket,
    prefix,
    ...region,
    storageClass: options.tiers === undefined ? options.storageClass : 'auto-tier',
  };
}

function manifestHead(job: UploadJob, totals: Totals): ManifestHead {
  const { options, ledger, plan, scanned } = job;
  const { root } = scanned;
  return {
    format: FORMAT_VERSION,
    type: 'archiver-manifest',
    tool: options.tool,
    codec: loadCodec().version,
    uploadId: job.uploadId,
    createdAt: job.createdAt.toISOString(),
    listing: 'full',
    datasetId: job.datasetId,
    ...(options.writerId === undefined ? {} : { writerId: options.writerId }),
    source: {
      path: options.source,
      host: options.host,
      mode: root.mode & 0o7777,
      mtime: { seconds: root.mtimeSeconds, nanos: root.mtimeNanos },
      uid: root.uid,
      gid: root.gid,
    },
    storage: storage(job),
    ...(options.project === undefined ? {} : { project: options.project }),
    ...(Object.keys(options.tags).length === 0 ? {} : { tags: options.tags }),
    settings: {
      shardStrategy: options.shardStrategy,
      shardCount: plan.shards,
      compression: { algorithm: 'zstd', level: options.compressionLevel ?? null },
      frameSize: options.frameBytes,
      chunkSize: plan.chunkBytes,
      fileChecksums: options.fileChecksums,
    },
    totals,
    shards: ledger.shards(),
    chunks: ledger.chunks(),
  };
}
