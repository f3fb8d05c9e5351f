// Analyzes a store by listing it.
import { analyzeStore } from '../../../core/money/analyze/analyze-store.js';
import type { OnSeen } from '../../../core/money/analyze/stored-tally.js';
import { parseStoreUrl } from '../../../core/store/store-url.js';
import { refuseMissingFolder, withStore } from '../../kit/store.js';
import type { RequestCounts } from '../../../core/store/object-store.js';
import type { StoreContext, StoreValues } from '../../kit/store.js';
import type { EventSink } from '../../../core/events/events.js';
import type { FoundStore } from './analyze-call.js';

const LISTINGS_AT_ONCE = 16;

interface ListingCall {
  readonly values: StoreValues & { readonly sampling?: boolean; readonly sampleSize?: number };
  readonly context: StoreContext;
  readonly emit: EventSink;
  /** Called with the counts of requests, which grow during the listing. */
  readonly onOpen?: (requests: RequestCounts) => void;
  readonly onSeen?: OnSeen;
}

/** Lists and analyzes the store. @throws not-found for a folder that is not there, errors of the store */
export async function listedStore(
  baseUrl: string,
  { values, context, emit, onOpen, onSeen }: ListingCall,
): Promise<FoundStore> {
  await refuseMissingFolder(baseUrl);
  emit({ type: 'start', operation: 'analyze', source: baseUrl, target: '' });
  const call = { baseUrl, values, context, requestsAtOnce: LISTINGS_AT_ONCE, onEvent: emit };
  return await withStore(call, async ({ store, requests, region, isAws, runBy }) => {
    onOpen?.(requests);
    const isFolder = parseStoreUrl(store.url).kind === 'file';
    const analysis = await analyzeStore(store, {
      atOnce: isFolder ? 1 : LISTINGS_AT_ONCE,
      sampleSize: values.sampling === true ? values.sampleSize : undefined,
      now: context.now(),
      onSeen,
      emit,
      signal: context.signal,
    });
    return { analysis, location: store.url, isFolder, isAws, runBy, region, requests };
  });
}
