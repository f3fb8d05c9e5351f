// `archiver browse`: from flags to a full screen, and from what was restored there to lines and an exit status.
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.js';
import { isCi } from '../../cli/progress.js';
import { contextPath } from '../../core/context/context-file.js';
import { rememberStore } from '../../core/context/remember-store.js';
import { resolveVersion } from '../../core/dataset/records/version-selector.js';
import { checkDatasetId } from '../../core/dataset/records/dataset-id.js';
import { usageError } from '../../core/failures/errors.js';
import { loadListing } from '../../core/listing/load-listing.js';
import type { OpenedStore } from '../../core/object-store/open-store.js';
import type { LoadProgress } from '../../screens/browse/browse-screen.js';
import type { OpenedListing } from '../../stores/browse/browse-state.js';
import { createBrowseStore } from '../../stores/browse/browse-store.js';
import { lookOf } from '../../ui/look.js';
import type { BrowseValues } from '../browse.js';
import { openForReading } from '../kit/store.js';
import { uploadTarget, urlAndFolder } from '../kit/upload-target.js';
import { openFrameCache } from '../kit/frame-cache.js';
import { datasetTarget } from '../kit/dataset-target.js';
import { versionSelector } from '../kit/dataset-version.js';
import { BrowseRestores } from './browse-restores.js';
import { firstLines } from './first-lines.js';
import { changesSince, stepVersion, versionOf } from './step-version.js';

/** Not the working folder: there a file of the same name could give way. */
const DEFAULT_OUTPUT = './out';

type Positional = readonly [url: string | undefined, outputDir: string | undefined];

interface Browsing {
  readonly values: BrowseValues;
  readonly context: Context;
  readonly opened: OpenedStore;
  readonly baseUrl: string;
  /** Where restored files go, as it was typed. */
  readonly outputDir: string;
  /** Undefined where a dataset is named. */
  readonly uploadId: string | undefined;
  readonly signal: AbortSignal;
}

/** Runs the command; returns its exit status. */
export async function runBrowse(values: BrowseValues, positional: Positional, context: Context): Promise<number> {
  requireTerminal(context);
  const [url, outputDir = DEFAULT_OUTPUT] = urlAndFolder(values, positional);
  const isDataset = values.datasetId !== undefined;
  const target = isDataset ? { baseUrl: datasetTarget(url, values), uploadId: undefined } : uploadTarget(url, values);
  const opened = await openForReading(target.baseUrl, values, context);
  // What is under way ends with the screen.
  const ending = new AbortController();
  try {
    const signal = AbortSignal.any([context.signal, ending.signal]);
    return await browse({ values, context, opened, outputDir, signal, ...target }, () => ending.abort());
  } finally {
    ending.abort();
    opened.close();
  }
}

function requireTerminal({ stdin, stdout, env, json }: Context): void {
  const hint = 'archiver list prints the files of an upload, also with --json; archiver restore fetches them';
  if (json) throw usageError('browse is a screen for people and has no --json', hint);
  if (stdin.isTTY !== true || stdout.isTTY !== true) throw usageError('browse needs a terminal', hint);
  if (env['TERM'] === 'dumb') throw usageError('browse needs a terminal that can move its cursor (TERM is dumb)', hint);
  if (isCi(env)) throw usageError('browse does not work where CI is set in the environment', hint);
}

async function browse(browsing: Browsing, end: () => void): Promise<number> {
  const { values, context, opened, baseUrl, outputDir, signal } = browsing;
  const cache = await openFrameCache(values, context);
  const restores = new BrowseRestores({ values, context, opened, cache, outputDir: resolve(context.cwd, outputDir) });
  const { showBrowse } = await import('../../screens/browse/browse-screen.js');
  const look = lookOf(context.colors.stdout, context.env);
  await showBrowse({
    stdin: context.stdin,
    stdout: context.stdout,
    look,
    signal: context.signal,
    title: baseUrl,
    settings: {
      outputDir,
      wait: values.wait,
      maxCostUsd: values.maxRestoreCost,
      cost: {
        region: opened.region,
        isAws: opened.isAws,
        isFolder: baseUrl.startsWith('file:'),
        days: values.restoreDays,
      },
    },
    open: async (onProgress) =>
      createBrowseStore({
        opened: await openListing(browsing, onProgress),
        tier: values.tier,
        signal,
        ports: {
          preview: (listing, index, stop) => firstLines(listing, index, { reader: opened.store, cache, signal: stop }),
          step: (listing, direction, stop) => stepVersion(listing, direction, opened.store, stop),
          changes: (listing, stop) => changesSince(listing, opened.store, stop),
          restore: (request, emit, stop) => restores.run(request, emit, stop),
          now: () => performance.now(),
        },
      }),
  });
  end();
  return await restores.finish();
}

async function openListing(browsing: Browsing, onProgress: LoadProgress): Promise<OpenedListing> {
  const { values, context, opened, baseUrl, signal } = browsing;
  const selector = versionSelector(values);
  const record =
    values.datasetId === undefined
      ? undefined
      : await resolveVersion(opened.store, checkDatasetId(values.datasetId), selector, signal);
  const version = record && versionOf(record, selector.kind === 'head');
  const uploadId = record?.uploadId ?? browsing.uploadId ?? '';
  const sha256 = version?.manifestSha256;
  const { listing } = await loadListing(opened.store, { uploadId, onProgress, signal, ...(sha256 && { sha256 }) });
  const { region } = opened;
  const trouble = await rememberStore(contextPath(context.userHome), {
    url: baseUrl,
    region,
    endpointUrl: opened.servers?.store ?? undefined,
  });
  if (trouble !== undefined) context.debug(trouble);
  return { listing, baseUrl, uploadId, version };
}
