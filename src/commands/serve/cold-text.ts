// What a request for a file in cold storage is told: what it costs to request it, and the command that does.
import type { Context } from '../../cli/context.js';
import { estimateRetrieval } from '../../core/cost/retrieval-cost.js';
import { displayPath, printable } from '../../core/platform/paths/raw-path.js';
import { chunkKey } from '../../core/format/manifest/manifest-check.js';
import { chunkStates } from '../../core/restore/thaw/chunk-states.js';
import type { FoundFile } from '../../core/serve/served-tree.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';
import { sourceText } from '../kit/cost-lines.js';
import { pricedBy } from '../kit/prices.js';
import { restoreCommand } from '../kit/restore-command.js';
import { uploadUrl } from '../kit/upload-target.js';

/** As `archiver restore` has them. */
const TIER = 'standard';
const RESTORE_DAYS = 7;

interface Place {
  readonly opened: OpenedStore;
  /** The base of the uploads. */
  readonly location: string;
  readonly context: Context;
}

/** Asks the store for the state of its chunks, and says what it takes to read it. @throws errors of the store */
export async function coldText(
  { listing, index, version: { uploadId } }: FoundFile,
  { opened, location, context }: Place,
): Promise<string> {
  const path = displayPath(listing.path(index));
  const records = [...new Set(listing.chunks(index))].flatMap((chunk) => listing.head.chunks[chunk] ?? []);
  const keys = records.map(({ key }) => chunkKey(uploadId, key) ?? '');
  const { signal, now } = context;
  const states = new Map((await chunkStates(opened.store, keys, { now: now(), signal })).map((one) => [one.key, one]));
  const chunks = records.map(({ size, storageClass }, at) => {
    const known = states.get(keys[at] ?? '');
    const isReadable = known?.state === 'readable' || known?.state === 'thawing';
    // What it costs to read them afterwards is asked about then.
    return { sizeBytes: size, storageClass: known?.storageClass ?? storageClass, isReadable, fetchedBytes: 0, gets: 0 };
  });
  const cold = chunks.filter(({ isReadable }) => !isReadable);
  if (cold.length === 0) return `${path} was requested from cold storage, and is not readable yet: ask again later`;
  const { store, region, isAws } = opened;
  const place = { ...pricedBy(context, opened), region, isAws, isFolder: store.url.startsWith('file:') };
  const estimate = estimateRetrieval({ ...place, chunks, tier: TIER, days: RESTORE_DAYS });
  const classes = [...new Set(cold.map(({ storageClass }) => printable(storageClass)))].join(', ');
  const bytes = cold.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const what = `${formatQuantity(cold.length, 'chunk')}, ${formatBytes(bytes)}`;
  const command = restoreCommand({
    location: uploadUrl({ baseUrl: location, uploadId }),
    outputDir: './out',
    files: [path],
  });
  return [
    `${path} is in ${classes} and not readable yet: it has to be requested from cold storage (${what})`,
    `price: ${formatUsd(estimate.costUsd)} (${TIER} tier, readable for ${RESTORE_DAYS} days; ${sourceText(estimate)})`,
    `${command} --tier ${TIER}`,
  ].join('\n');
}
