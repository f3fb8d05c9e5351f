// `archiver browse`: opens the full screen from the flags; afterwards prints what was restored and returns an exit status.
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.js';
import { runOperation } from '../../cli/progress.js';
import { contextPath } from '../../core/context/context-file.js';
import { rememberStore } from '../../core/context/remember-store.js';
import { FileHistories } from '../../core/dataset/chain/file-history.js';
import { neighbourVersion } from '../../core/dataset/records/neighbour-version.js';
import { pathHistory } from '../../core/dataset/history/path-history.js';
import { findDataset } from '../../core/dataset/records/find-dataset.js';
import { isSameVersion } from '../../core/dataset/records/version-name.js';
import { digestsOf } from '../../core/dataset/chain/version-view.js';
import type { EventSink } from '../../core/events/events.js';
import { TOP } from '../../core/platform/paths/raw-path.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { LazyListing } from '../../core/restore/listing/lazy-listing.js';
import type { VersionRecord } from '../../core/format/manifest/manifest-types.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { firstLines } from '../../core/restore/listing/first-lines.js';
import type { BrowsePorts } from '../../stores/browse/actions.js';
import type { BrowseVersion, OpenedListing } from '../../stores/browse/browse-state.js';
import { createBrowseStore } from '../../stores/browse/browse-store.js';
import { lookOf } from '../../ui/look.js';
import type { BrowseValues } from './flags.js';
import { sourceText } from '../kit/cost-lines.js';
import { fetchGate } from '../kit/fetch-gate.js';
import { pricedBy } from '../kit/prices.js';
import { requireTerminal } from '../kit/require-terminal.js';
import { openForSession } from '../kit/store.js';
import { findTarget, type Target, targetOf } from '../kit/upload-target.js';
import type { FrameCache } from '../../core/restore/frame-cache.js';
import { openFrameCache } from '../kit/frame-cache.js';
import { BrowseRestores, type RunOnScreen } from './browse-restores.js';

/** Not the working directory, where files of the same name could be overwritten. */
const DEFAULT_OUTPUT = './out';

type Positional = readonly [url: string, outputDir: string | undefined];

interface Browsing {
  readonly values: BrowseValues;
  readonly context: Context;
  readonly opened: OpenedStore;
  readonly runOnScreen: RunOnScreen;
  readonly target: Target;
  /** Folder for restored files, as it was typed. */
  readonly outputDir: string;
  readonly signal: AbortSignal;
  /** Collects a warning, to be printed after the screen is closed. */
  readonly warn: (text: string) => void;
  /** Gets all events of the store; set once there is a browser. */
  readonly ear: { hear: EventSink };
}

/** Runs the command; returns its exit status. */
export async function runBrowse(
  values: BrowseValues,
  [url, outputDir = DEFAULT_OUTPUT]: Positional,
  context: Context,
): Promise<number> {
  const hint = 'archiver list prints the files of an upload, also with --json; archiver restore fetches them';
  if (context.json) throw usageError('browse is a screen for people and has no --json', hint);
  requireTerminal('browse', hint, context);
  const target = await targetOf(url, values, context);
  const { opened, during } = await openForSession(target.baseUrl, values, context);
  // Aborts what is under way when the screen is closed.
  const ending = new AbortController();
  // Printed after the screen is closed.
  const warnings = new Set<string>();
  const warn = (text: string): void => void warnings.add(text);
  const runOnScreen: RunOnScreen = ({ take, ...how }, run) => {
    const consumers = [...(context.followers ?? []), { name: 'screen', take }];
    return runOperation({ ...how, consumers, onFailure: warn }, (emit) => during(emit, () => run(emit)));
  };
  try {
    const signal = AbortSignal.any([context.signal, ending.signal]);
    const ear: Browsing['ear'] = { hear: () => undefined };
    return await during(
      (event) => ear.hear(event),
      () =>
        browse({ values, context, opened, runOnScreen, outputDir, signal, target, warn, ear }, () => ending.abort()),
    );
  } finally {
    ending.abort();
    opened.close();
    for (const warning of warnings) context.warn(warning);
  }
}

async function browse(browsing: Browsing, end: () => void): Promise<number> {
  const { values, context, opened, runOnScreen, target, outputDir, signal } = browsing;
  const { baseUrl } = target;
  const cache = await openFrameCache(values, context);
  const folder = resolve(context.cwd, outputDir);
  const restores = new BrowseRestores({ values, context, opened, runOnScreen, cache, outputDir: folder });
  const { showBrowse } = await import('../../screens/browse/show-browse.js');
  const { region, isAws } = opened;
  const settings = {
    outputDir,
    wait: values.wait,
    maxCostUsd: values.maxRestoreCost,
    pricesText: sourceText,
    cost: {
      region,
      isAws,
      ...pricedBy(context, opened),
      isFolder: baseUrl.startsWith('file:'),
      days: values.restoreDays,
    },
  };
  const ports: BrowsePorts = {
    ...readingPorts(browsing, cache),
    restore: (request, emit, stop) => restores.run(request, emit, stop),
    now: () => performance.now(),
    clock: context.now,
  };
  await showBrowse({
    stdin: context.stdin,
    stdout: context.stdout,
    look: lookOf(context.colors.stdout, context.env),
    signal: context.signal,
    url: baseUrl,
    async open(emit) {
      const opened = await openListing(browsing, emit);
      const browser = createBrowseStore({ opened, settings, tier: values.tier, ports, signal });
      browsing.ear.hear = browser.getState().do.hear;
      return browser;
    },
  });
  end();
  return await restores.finish();
}

/** Ports through which the browser reads the store when the user opens a view. */
function readingPorts(
  { values, context, opened }: Browsing,
  cache: FrameCache,
): Pick<BrowsePorts, 'preview' | 'history' | 'step' | 'pathHistory' | 'openVersion'> {
  const { store } = opened;
  const histories = new Map<string, FileHistories>();
  return {
    preview(listed, index, signal, most) {
      const mayFetch = fetchGate({ values, uploadId: listed.uploadId, opened, context });
      return firstLines(listed, index, { reader: store, cache, mayFetch, most, signal });
    },
    async history({ listing, version }, index, signal) {
      if (version === undefined) return { kind: 'none', reason: 'not opened as a version of a dataset' };
      const { datasetId } = version;
      const known = histories.get(datasetId) ?? new FileHistories(store, datasetId);
      histories.set(datasetId, known);
      return await known.of(listing.entry(index), signal);
    },
    async pathHistory({ listing, version }, path, signal) {
      return await pathHistory(store, version?.datasetId ?? listing.head.datasetId, path, { signal });
    },
    async openVersion(listed, record, signal, emit) {
      const { uploadId } = record;
      const lazy = await firstNames(
        await LazyListing.open(store, { uploadId, sha256: digestsOf(record), emit, signal }),
      );
      const { versions } = await findDataset(store, record.datasetId, { signal });
      const newest = versions.at(-1);
      const isHead = newest !== undefined && isSameVersion(newest, record);
      return { ...listed, ...lazy, uploadId, version: versionOf(record, isHead) };
    },
    async step(listed, direction, signal, emit) {
      const datasetId = listed.version?.datasetId ?? listed.listing.head.datasetId;
      const place = { datasetId, uploadId: listed.uploadId, version: listed.version };
      const { record, isHead } = await neighbourVersion(store, place, direction, signal);
      const { uploadId } = record;
      const lazy = await firstNames(
        await LazyListing.open(store, { uploadId, sha256: digestsOf(record), emit, signal }),
      );
      return { ...listed, ...lazy, uploadId, version: versionOf(record, isHead) };
    },
  };
}

const versionOf = (record: VersionRecord, isHead: boolean): BrowseVersion => ({
  datasetId: record.datasetId,
  version: record.version,
  fork: record.fork,
  isHead,
  manifestSha256: digestsOf(record),
});

/** What the first screen shows: all of a small listing, or the first names at the top. */
async function firstNames(lazy: LazyListing): Promise<Pick<OpenedListing, 'listing' | 'lazy'>> {
  await lazy.readNames(TOP);
  return { listing: lazy.listing, lazy: lazy.listing.isWhole ? undefined : lazy };
}

async function openListing(
  { context, opened, runOnScreen, target, signal, warn }: Browsing,
  take: EventSink,
): Promise<OpenedListing> {
  const { baseUrl, selector } = target;
  const found = await runOnScreen({ take, signal }, async (emit) => {
    emit({ type: 'start', operation: 'load', source: baseUrl, target: '' });
    const {
      uploadId,
      version: named,
      manifestSha256: sha256 = [],
    } = await findTarget(opened.store, target, {
      ...context,
      warn,
    });
    const lazy = await firstNames(await LazyListing.open(opened.store, { uploadId, emit, signal, sha256 }));
    const version = named && { ...named, isHead: selector.kind === 'head', manifestSha256: sha256 };
    return { ...lazy, baseUrl, uploadId, version };
  });
  const { region } = opened;
  const trouble = await rememberStore(contextPath(context.userHome), {
    url: baseUrl,
    region,
    endpointUrl: opened.servers?.store ?? undefined,
  });
  if (trouble !== undefined) context.debug(trouble);
  return found;
}
