// A store, listed.
import { analyzeStore } from '../../core/analyze/analyze-store.js';
import { parseStoreUrl } from '../../core/object-store/store-url.js';
import { refuseMissingFolder, withStore } from '../kit/store.js';
import type { AnalyzeCall, FoundStore } from './analyze-call.js';

const LISTINGS_AT_ONCE = 16;

/** @throws not-found for a folder that is not there, and what the store says */
export async function listedStore(baseUrl: string, { values, context, emit }: AnalyzeCall): Promise<FoundStore> {
  await refuseMissingFolder(baseUrl);
  emit({ type: 'start', operation: 'analyze', source: baseUrl, target: '' });
  const call = { baseUrl, values, context, requestsAtOnce: LISTINGS_AT_ONCE, onEvent: emit };
  return await withStore(call, async ({ store, requests, region, isAws }) => {
    const isFolder = parseStoreUrl(store.url).kind === 'file';
    const analysis = await analyzeStore(store, {
      atOnce: isFolder ? 1 : LISTINGS_AT_ONCE,
      sampleSize: values.sampling ? values.sampleSize : undefined,
      now: context.now(),
      emit,
      signal: context.signal,
    });
    return { analysis, location: store.url, isFolder, isAws, region, requests };
  });
}
