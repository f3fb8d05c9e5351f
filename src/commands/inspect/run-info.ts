// `archiver info`: the head of the manifest, nothing more is fetched.
import type { Context } from '../../cli/context.js';
import { readManifestHead } from '../../core/manifest/manifest-reader.js';
import type { ManifestHead } from '../../core/manifest/manifest-types.js';
import type { InfoValues } from '../info.js';
import { infoText, shardTableRows } from './info-text.js';
import { openForReading, uploadTarget, uploadUrl } from './upload-target.js';

const DEFAULT_WIDTH = 80;

/** Runs the command. */
export async function runInfo(values: InfoValues, url: string | undefined, context: Context): Promise<void> {
  const target = uploadTarget(url, values);
  const opened = await openForReading(target.baseUrl, values, context);
  try {
    const { head, document } = await readManifestHead(opened.store, target.uploadId, context.signal);
    const location = uploadUrl(target);
    const table = context.verbose && !context.json ? await shardTable(head, context) : undefined;
    const shown = context.json ? { ...document, location, requests: opened.requests } : undefined;
    context.result(shown, () => infoText(head, location, table));
  } finally {
    opened.close();
  }
}

async function shardTable(head: ManifestHead, context: Context): Promise<string> {
  const { renderTable } = await import('../../ui/table.js');
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
