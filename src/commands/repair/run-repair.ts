// `archiver repair`: flags to options, the result to text or JSON.
import pkg from '../../../package.json' with { type: 'json' };
import type { Context } from '../../cli/context.js';
import { hasLosses, repairUpload } from '../../core/repair/repair.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { openForReading } from '../kit/store.js';
import { uploadTarget, uploadUrl } from '../kit/upload-target.js';
import type { RepairValues } from '../repair.js';
import { rememberedManifests } from '../upload/engine-options.js';
import { repairText } from './repair-text.js';

const NOTE_EVERY_MS = 5000;

/** Runs the command; returns its exit status. */
export async function runRepair(values: RepairValues, url: string | undefined, context: Context): Promise<number> {
  const target = uploadTarget(url, values);
  // Reading and writing go through the same store; a dry run writes nothing.
  const opened = await openForReading(target.baseUrl, values, context, { requestsAtOnce: values.workers });
  try {
    const result = await repairUpload({
      store: opened.store,
      uploadId: target.uploadId,
      region: opened.region,
      tool: `archiver ${pkg.version}`,
      cache: (await rememberedManifests(target.baseUrl, values, context)).cache,
      execute: values.execute,
      force: values.force,
      fromPrevious: values.fromPrevious,
      requestsAtOnce: values.workers,
      signal: context.signal,
      onProgress: progressNotes(context),
    });
    const location = uploadUrl(target);
    context.result({ ...result, location, requests: opened.requests }, () =>
      repairText(result, context.verbose, location),
    );
    return hasLosses(result) ? 3 : 0;
  } finally {
    opened.close();
  }
}

function progressNotes(context: Context): (chunks: number, bytes: number) => void {
  let last = context.now().getTime();
  return (chunks, bytes) => {
    const now = context.now().getTime();
    if (now - last < NOTE_EVERY_MS) return;
    last = now;
    context.note(`read ${formatQuantity(chunks, 'chunk')}, ${formatBytes(bytes)}`);
  };
}
