// Sources of the dashboard in its store, which is opened when the first of them is shown, and stays open.
import type { Context } from '../../cli/context.js';
import type { EventSink } from '../../core/events/events.js';
import { LivingPlans, type SeenPlans } from '../../core/archive/parts/living-plans.js';
import { cacheFolder } from '../../core/dataset/cache/cache-folder.js';
import { REQUESTS_AT_ONCE } from '../../core/fleet/watch/read-fleet.js';
import { watchFleet } from '../../core/fleet/watch/watch-fleet.js';
import { isArchiverError } from '../../core/platform/failures/errors.js';
import { Inventories, type Inventory } from '../../core/dataset/inventory/inventory.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import type { RequestCounts } from '../../core/store/object-store.js';
import { type Analysis, type AnalysisResult, betterClass } from '../../stores/dashboard/analysis.js';
import { createSource } from '../../stores/dashboard/source.js';
import type { FleetRead, PlansRead, StoreSources } from '../../stores/dashboard/store-sources.js';
import { listedStore } from '../money/analyze/from-listing.js';
import { DEFAULT_REGION } from '../kit/flags.js';
import { storePrices } from '../money/analyze/store-prices.js';
import { type AnalyzedStore, adviceFacts, figuresOf, headFacts, pricesText } from '../money/store-analysis.js';
import { openForReading, refuseMissingFolder, type StoreValues } from '../kit/store.js';
import type { DashboardValues } from './flags.js';

/** The default of `fleet status` and `fleet monitor`. */
const STALE_MS = 2 * 3_600_000;
/** Pause per thousand writers: reading a fleet takes one request for each, and heartbeats change only once a cycle. Probed meanwhile. */
const FLEET_REST_MS = 60_000;
/** Pause per thousand records, whose listing takes one request. */
const INVENTORY_REST_MS = 10_000;
/** Pause per thousand requests of a look at plans, whose parts take minutes. */
const PLANS_REST_MS = 60_000;
const THOUSAND = 1000;
const PROBE_KEY = 'fleet/probe';

export interface OpenedSources {
  readonly sources: StoreSources;
  /** Closes the store, and gives up reading it. */
  readonly close: () => void;
}

/** Returns the sources of the store at a base URL. The store is not opened yet. */
export function storeSources(baseUrl: string, values: DashboardValues, context: Context): OpenedSources {
  const { now, home } = context;
  const access = { ...values, region: values.region ?? DEFAULT_REGION };
  const call = { baseUrl, values: access, context };
  let opening: Promise<OpenedStore> | undefined;
  /** The store stays open; its events go to those who read at that time. */
  const readers = new Set<EventSink>();
  const open = async (): Promise<OpenedStore> => {
    await refuseMissingFolder(baseUrl);
    opening ??= openForReading(baseUrl, access, context, {
      requestsAtOnce: REQUESTS_AT_ONCE,
      onEvent: (event) => readers.forEach((take) => take(event)),
    });
    return await opening.catch((error: unknown) => {
      opening = undefined; // another attempt may find credentials
      throw error;
    });
  };
  const heard = async <T>(take: EventSink, read: () => Promise<T>): Promise<T> => {
    readers.add(take);
    try {
      return await read();
    } finally {
      readers.delete(take);
    }
  };
  let inventories: Inventories | undefined;
  let isAsked = false;
  const readInventory = async (signal: AbortSignal, show: (part: Inventory) => void): Promise<Inventory> => {
    const { store, servers } = await open();
    inventories ??= new Inventories(store, {
      folder: cacheFolder(home),
      server: servers?.store ?? undefined,
    });
    const options = { onPart: show, isAsked, signal };
    isAsked = false;
    return await inventories.look(options);
  };
  const readFleet = async (signal: AbortSignal): Promise<FleetRead> => {
    const { store } = await open();
    try {
      const options = { now, home, signal, thresholdMs: STALE_MS };
      return { status: await watchFleet(store, options) };
    } catch (error) {
      if (isArchiverError(error, 'not-found')) return { status: null };
      throw error;
    }
  };
  let living: LivingPlans | undefined;
  const readPlans = async (signal: AbortSignal, show: (part: PlansRead) => void): Promise<PlansRead> => {
    const { store, requests } = await open();
    living ??= new LivingPlans(store);
    const before = sumOf(requests);
    const counted = (seen: SeenPlans): PlansRead => ({ ...seen, requests: sumOf(requests) - before });
    return counted(await living.look({ now, signal, onPart: (part) => show(counted(part)) }));
  };
  const inventory = createSource<Inventory>({
    now,
    read: (signal, _, show, onEvent) => heard(onEvent, () => readInventory(signal, show)),
    restMs: (value) => Math.floor((value?.uploads.length ?? 0) / THOUSAND) * INVENTORY_REST_MS,
  });
  /** One HEAD of what need not be there: any answer of the store about it is one. */
  const probe = async (signal: AbortSignal): Promise<void> => {
    const { store } = await open();
    await store.head(PROBE_KEY, signal).catch((error: unknown) => {
      if (!isArchiverError(error, 'access-denied')) throw error;
    });
  };
  const fleet = createSource<FleetRead>({
    now,
    probe: (signal, onEvent) => heard(onEvent, () => probe(signal)),
    read: (signal, _, _show, onEvent) => heard(onEvent, () => readFleet(signal)),
    restMs: (value) => Math.max(1, (value?.status?.writers.length ?? 0) / THOUSAND) * FLEET_REST_MS,
  });
  const plans = createSource<PlansRead>({
    now,
    read: (signal, _, show, onEvent) => heard(onEvent, () => readPlans(signal, show)),
    restMs: (value) => Math.max(1, (value?.requests ?? 0) / THOUSAND) * PLANS_REST_MS,
  });
  const analysis = createSource<Analysis>({
    now,
    read: (signal, before, show, onEvent) => scan(call, { signal, before, show, onEvent }),
  });
  return {
    sources: { inventory, fleet, plans, analysis, retryInventory: () => void (isAsked = true) },
    close() {
      for (const source of [inventory, fleet, plans, analysis]) source.getState().stop();
      void opening?.then(
        (opened) => opened.close(),
        () => undefined, // it was never open
      );
    },
  };
}

const sumOf = (requests: RequestCounts): number =>
  Object.values(requests).reduce((sum: number, count: number) => sum + count, 0);

interface Scan {
  readonly signal: AbortSignal;
  readonly before: Analysis | undefined;
  readonly show: (analysis: Analysis) => void;
  readonly onEvent: EventSink;
}

interface StoreCall {
  readonly baseUrl: string;
  readonly values: StoreValues;
  readonly context: Context;
}

/** Lists the store, and computes what its objects cost. */
async function scan(
  { baseUrl, values, context }: StoreCall,
  { signal, before, show, onEvent }: Scan,
): Promise<Analysis> {
  const result = before?.result;
  const begunMs = performance.now();
  let requests: RequestCounts | undefined;
  const tell = (objects: number, bytes: number): void =>
    show({ result, scan: { pages: requests?.list ?? 0, objects, bytes, elapsedMs: performance.now() - begunMs } });
  tell(0, 0);
  const { analysis, ...found } = await listedStore(baseUrl, {
    values,
    context: { ...context, signal },
    emit: (event) => {
      onEvent(event);
      if (event.type === 'progress') tell(event.items, event.bytes);
    },
    onOpen: (counts) => (requests = counts),
  });
  const durationMs = Math.round(performance.now() - begunMs);
  const priced = { ...analysis, ...found, prices: storePrices(found, context), durationMs };
  return { scan: undefined, result: resultOf(priced, context.now()) };
}

function resultOf(store: AnalyzedStore, endedAt: Date): AnalysisResult {
  const figures = figuresOf(store);
  const { prices, isFolder, durationMs } = store;
  const cells = store.stored.current.cells();
  return {
    objects: figures.objects,
    bytes: figures.bytes,
    monthlyUsd: figures.monthlyUsd,
    classes: figures.classes.map((one) => {
      const own = cells.filter(({ storageClass }) => storageClass === one.storageClass);
      return { ...one, ...(isFolder ? { better: null, savedUsd: 0 } : betterClass(own, prices)) };
    }),
    facts: [...headFacts(store, figures), ...(figures.moves.length > 0 ? adviceFacts(figures) : [])],
    pricesText: `prices: ${pricesText(store)}`,
    isFolder,
    endedAt,
    durationMs,
  };
}
