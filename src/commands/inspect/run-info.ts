// `archiver info`: the head of the manifest, and nothing more is fetched; of a delta the whole chain, for its numbers are
// those of the view.
import type { Context } from '../../cli/context.js';
import { type ReadView, readView } from '../../core/dataset/read-view.js';
import type { ManifestHead } from '../../core/manifest/manifest-types.js';
import type { InfoValues } from '../info.js';
import { infoText, shardTableRows } from './info-text.js';
import { openForReading } from '../kit/store.js';
import { uploadTarget, uploadUrl } from '../kit/upload-target.js';

const DEFAULT_WIDTH = 80;

/** Runs the command. */
export async function runInfo(values: InfoValues, url: string | undefined, context: Context): Promise<void> {
  const target = uploadTarget(url, values);
  const opened = await openForReading(target.baseUrl, values, context);
  try {
    const { uploadId } = target;
    const view = await readView(opened.store, { uploadId, headOnly: true, signal: context.signal });
    const { head } = view;
    const location = uploadUrl(target);
    const table = context.verbose && !context.json ? await shardTable(head, context) : undefined;
    const shown = context.json
      ? { ...infoDocument(view), ...encryption(view), location, requests: opened.requests }
      : undefined;
    context.result(shown, () => infoText(view, location, table));
  } finally {
    opened.close();
  }
}

/** The document as it was written; of a delta with the numbers of the view, its own under `delta`. */
function infoDocument({ head, document, chain }: ReadView): Readonly<Record<string, unknown>> {
  if (head.listing === 'full') return document;
  const { totals, shards, chunks } = document;
  return {
    ...document,
    totals: head.totals,
    shards: head.shards,
    chunks: head.chunks,
    delta: { totals, shards, chunks },
    manifests: chain,
  };
}

/** Of an upload that is encrypted with KMS. */
function encryption({ head, sealedBy }: ReadView): Readonly<Record<string, unknown>> {
  const kmsKeyId = sealedBy ?? head.storage['kmsKeyId'];
  return kmsKeyId === undefined ? {} : { encryption: { kmsKeyId, manifest: sealedBy !== undefined } };
}

async function shardTable(head: ManifestHead, context: Context): Promise<string> {
  const { renderTable } = await import('../../ui/result-table.js');
  const right = (key: string, title: string) => ({ key, title, align: 'right' as const });
  const columns = [
    right('shard', 'SHARD'),
    { key: 'prefix', title: 'PREFIX', dropOrder: 2 },
    right('chunks', 'CHUNKS'),
    right('files', 'FILES'),
    right('size', 'SIZE'),
    right('stored', 'STORED'),
    { ...right('share', 'SHARE'), dropOrder: 1 },
    { ...right('ratio', 'RATIO'), dropOrder: 3 },
  ];
  return await renderTable(shardTableRows(head), columns, { width: context.stdout.columns ?? DEFAULT_WIDTH });
}
