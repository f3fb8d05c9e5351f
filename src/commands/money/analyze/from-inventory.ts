// Analyzes a bucket by its S3 Inventory. Inventories do not have unfinished multipart uploads: they are listed where the bucket is named.
import { type InventoryRead, type StoreAnalysis, unfinishedOf } from '../../../core/money/analyze/analyze-store.js';
import { gapsOf, type Inventory, manifestPlace, readManifest } from '../../../core/money/analyze/inventory/manifest.js';
import { type InventoryTally, tallyInventory } from '../../../core/money/analyze/inventory/tally-inventory.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import type { OpenedStore } from '../../../core/store/open-store.js';
import { sumOfCounts } from '../../../core/store/request-count.js';
import { parseStoreUrl, storeUrlOf } from '../../../core/store/store-url.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { knownAddress } from '../../../core/store/providers/address.js';
import { withStore } from '../../kit/store.js';
import type { AnalyzeCall, FoundStore } from './analyze-call.js';

type Opened = Pick<OpenedStore, 'store' | 'requests' | 'region' | 'isAws' | 'runBy'>;

/**
 * Analyzes the bucket by its inventory. @param url the bucket or prefix to report; undefined: all that the inventory has @throws usage for
 * another bucket
 */
export async function inventoriedStore(
  url: string | undefined,
  manifestUrl: string,
  call: AnalyzeCall,
): Promise<FoundStore> {
  const { values, context, emit, onSeen } = call;
  const place = manifestPlace(storeUrlOf(manifestUrl, context.cwd) ?? manifestUrl);
  emit({ type: 'start', operation: 'analyze', source: manifestUrl, target: '' });
  const opening = { values, context, onEvent: emit };
  return await withStore({ ...opening, baseUrl: place.storeUrl }, async (holder) => {
    const inventory = await readManifest(holder.store, place.key, context.signal);
    const prefix = prefixIn(inventory, url);
    const read: InventoryRead = {
      ...gapsOf(inventory),
      createdAt: inventory.createdAt,
      format: inventory.format,
      files: inventory.files.length,
      bytes: inventory.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    };
    const { signal } = context;
    const work = { reader: holder.store, inventory, place, prefix, emit, onSeen, now: context.now(), signal };
    const counted = await countedBy(work, read, holder, call);
    const analysis = (seen: Pick<StoreAnalysis, 'unfinished' | 'unfinishedHidden'>): StoreAnalysis => ({
      ...counted,
      versionsHidden: !read.hasVersions,
      ...seen,
    });
    if (url === undefined) {
      const location = `s3://${inventory.sourceBucket}`;
      const unseen = analysis({ unfinished: null, unfinishedHidden: 'not-asked' });
      return { ...billedAt(holder, call), location, isFolder: false, analysis: unseen };
    }
    return await withStore({ ...opening, baseUrl: url }, async (bucket) => {
      const unfinished = await unfinishedOf(bucket.store, work);
      const requests = sumOfCounts(holder.requests, bucket.requests);
      const { url: location } = bucket.store;
      return { ...billedAt(bucket, call), location, isFolder: false, requests, analysis: analysis(unfinished) };
    });
  });
}

async function countedBy(
  work: InventoryTally,
  read: InventoryRead,
  holder: Opened,
  call: AnalyzeCall,
): Promise<Pick<StoreAnalysis, 'stored'> & { readonly inventory: InventoryRead }> {
  if (call.values.engine === 'local') return { stored: await tallyInventory(work), inventory: read };
  const { athenaTally } = await import('./with-athena.js');
  const { stored, ...athena } = await athenaTally({ ...work, read }, billedAt(holder, call).region, call);
  return { stored, inventory: { ...read, athena } };
}

/**
 * Returns where the bucket is billed. S3 delivers inventories to the region of the bucket; for a copy in a folder only --region tells it.
 */
function billedAt(
  { store, region, isAws, runBy, requests }: Opened,
  { values, context }: AnalyzeCall,
): Pick<FoundStore, 'region' | 'isAws' | 'runBy' | 'requests'> {
  if (parseStoreUrl(store.url).kind === 's3') return { region, isAws, runBy, requests };
  const given = context.origins['region'] === 'default' ? undefined : values.region;
  const { endpointUrl } = values;
  return { region: given, isAws: endpointUrl === undefined, runBy: knownAddress(endpointUrl)?.provider, requests };
}

function prefixIn({ sourceBucket }: Inventory, url: string | undefined): string {
  if (url === undefined) return '';
  const place = parseStoreUrl(url);
  if (place.kind === 'file' || place.bucket !== sourceBucket)
    throw usageError(
      `this inventory is of s3://${printable(sourceBucket)}, and not of ${printable(url)}`,
      `name s3://${printable(sourceBucket)}, or an inventory of the other one`,
    );
  return place.prefix === '' ? '' : `${place.prefix}/`;
}
