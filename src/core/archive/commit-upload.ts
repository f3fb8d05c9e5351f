// The last steps of an upload: the manifest from what was packed, then the commit protocol.
import { FORMAT_VERSION, type ManifestHead, type Totals } from '../manifest/manifest-types.js';
import { encodeManifest } from '../manifest/manifest-writer.js';
import { textFromRaw } from '../raw-path.js';
import { loadCodec } from '../codec/codec.js';
import { readAccountNames } from './account-names.js';
import { commitManifest, commitVersion, confirmChunks } from './commit.js';
import type { UploadJob } from './upload.js';

/** Makes the upload true and returns the ordinal of its version. */
export async function commitUpload(job: UploadJob, versions: Promise<number | undefined>): Promise<number> {
  const { options, ledger, opened, sender, uploadId } = job;
  const { signal } = options;
  options.emit({ type: 'phase', phase: 'committing' });
  const totals = ledger.totals(job.scanned.skipped.length);
  const names = readAccountNames();
  const folder = `uploads/${uploadId}`;
  const manifestKey = `${folder}/manifest.json.gz`;
  const [manifest, confirmed, highest] = await Promise.all([
    encodeManifest({ head: manifestHead(job, totals), table: ledger.table, names, extras: ledger.extras }),
    confirmChunks(opened.store, folder, ledger.chunks(), signal),
    versions,
  ]);
  if (!confirmed)
    options.emit({ type: 'note', text: 'this writer may not list: chunks were not counted before the commit' });
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

function manifestHead(job: UploadJob, totals: Totals): ManifestHead {
  const { options, ledger, plan, scanned, opened } = job;
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
    storage: {
      url: opened.store.url,
      ...(opened.region === undefined ? {} : { region: opened.region }),
      storageClass: options.tiers === undefined ? options.storageClass : 'auto-tier',
    },
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
