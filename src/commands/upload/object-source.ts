// An s3:// prefix as the source of `upload` and `sync`: its objects are archived like files (docs/decisions/092).
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.js';
import { dashed, joinWords } from '../../cli/rule.js';
import type { archiveInto } from '../../core/archive/archive-folder.js';
import { archiveObjects, READS_AT_ONCE } from '../../core/archive/archive-objects.js';
import type { Origin } from '../../core/archive/run/settings.js';
import { estimateRetrieval, type RetrievalChunk } from '../../core/cost/retrieval-cost.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { rawFromText } from '../../core/platform/paths/raw-path.js';
import { withoutLogin } from '../../core/store/endpoint-url.js';
import type { EventSink } from '../../core/events/events.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { joinStoreUrl, parseStoreUrl } from '../../core/store/store-url.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';
import { provenanceFlags } from '../kit/flags.js';
import { pricedBy } from '../kit/prices.js';
import { dryRunRetrievalGate, retrievalGate } from '../kit/slots.js';
import { openForReading, type StoreValues } from '../kit/store.js';
import { directFlags } from './direct-flags.js';
import { isObjectUrl, objectFlags } from './object-flags.js';
import type { Sources } from './sources.js';
import { tierFlags } from './tier-flags.js';

/** Flags about folders, and about content that is read to be compared. */
const IDLE_KEYS = [
  ...Object.keys({ ...provenanceFlags, ...tierFlags, ...directFlags }),
  'dvcCache',
  'enableDedup',
  'excludeCaches',
  'excludeIfPresent',
  'filesFrom',
  'filesFromRaw',
  'ignoreCtime',
  'oneFileSystem',
];

export interface ObjectValues extends StoreValues {
  readonly sourceProfile: string | undefined;
  readonly sourceRegion: string | undefined;
  readonly sourceEndpointUrl: string | undefined;
  readonly tempDir: string | undefined;
  readonly project: string | undefined;
  readonly dryRun: boolean;
}

/** Returns an s3:// prefix as the source; undefined for folders and files. @throws usage for it beside others */
export function objectSources(given: readonly string[]): Sources | undefined {
  const [first = ''] = given;
  if (!given.some(isObjectUrl)) return undefined;
  if (given.length > 1)
    throw usageError(
      `an s3:// SOURCE is archived by itself, and ${formatQuantity(given.length, 'source')} were given`,
      'upload them one by one',
    );
  parseStoreUrl(first);
  const objects = joinStoreUrl(first);
  const real = rawFromText(objects);
  return {
    named: [{ given: first, real }],
    root: real,
    folder: undefined,
    origin: undefined,
    skipTrees: [],
    objects,
  };
}

/** Refuses flags that can do nothing for this kind of source. @throws usage */
export function refuseIdleFlags({ objects }: Sources, { origins }: Pick<Context, 'origins'>): void {
  const keys = objects === undefined ? Object.keys(objectFlags) : IDLE_KEYS;
  const idle = keys.filter((key) => origins[key] === 'flag').map(dashed);
  if (idle.length === 0) return;
  const kind = objects === undefined ? 'a SOURCE that is no s3:// URL' : 'an s3:// SOURCE';
  throw usageError(`${joinWords(idle, 'and')} can do nothing for ${kind}`);
}

const addressOf = ({ sourceEndpointUrl, sourceProfile, endpointUrl }: ObjectValues): string | null | undefined => {
  if (sourceEndpointUrl !== undefined) return sourceEndpointUrl === 'aws' ? null : sourceEndpointUrl;
  return sourceProfile === undefined ? endpointUrl : undefined;
};

/** What stands for the objects: their URL; the dataset's id is made of that and of the server, since buckets of several may share a name. */
export async function objectOrigin(url: string, values: ObjectValues, { env }: Pick<Context, 'env'>): Promise<Origin> {
  const { storeEndpoint } = await import('../../core/store/s3/s3-profile.js');
  const profile = values.sourceProfile ?? values.profile;
  const server = withoutLogin(await storeEndpoint({ env, profile, endpointUrl: addressOf(values) }));
  return { path: rawFromText(url), owner: server ?? 's3' };
}

/** Returns what makes a call archive objects; nothing for files. */
export function objectCall(
  { objects }: Sources,
  values: ObjectValues,
  context: Context<'upload'>,
): { readonly archive?: typeof archiveInto } {
  if (objects === undefined) return {};
  const tempParent = resolve(context.cwd, values.tempDir ?? tmpdir());
  const mayRead = askedBy(values, objects, context);
  return {
    archive: async (open, options) => {
      const source = {
        open: async () => await openSource(objects, values, context, options.emit),
        tempParent,
        mayRead,
      };
      return await archiveObjects(open, source, options);
    },
  };
}

async function openSource(
  url: string,
  values: ObjectValues,
  context: Context<'upload'>,
  onEvent: EventSink,
): Promise<OpenedStore> {
  const { sourceRegion, sourceProfile, region, profile } = values;
  const own = {
    ...values,
    region: sourceRegion ?? region,
    profile: sourceProfile ?? profile,
    endpointUrl: addressOf(values),
    storeMode: undefined,
    limitUpload: undefined,
    createOnce: undefined,
  };
  const origins = { ...context.origins, region: sourceRegion === undefined ? ('default' as const) : ('flag' as const) };
  return await openForReading(url, own, { ...context, origins }, { requestsAtOnce: READS_AT_ONCE, onEvent });
}

/** Asks budgets about what reading the objects costs; a dry run says it. */
function askedBy(values: ObjectValues, url: string, context: Context<'upload'>) {
  const ask = retrievalGate({ ...values }, url, context);
  return async (chunks: readonly RetrievalChunk[], opened: OpenedStore): Promise<void> => {
    const { region, isAws } = opened;
    const place = { ...pricedBy(context, opened), region, isAws };
    const estimate = estimateRetrieval({ ...place, chunks, tier: 'standard', days: 0 });
    const gets = chunks.reduce((sum, one) => sum + (one.gets ?? 0), 0);
    const bytes = chunks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (!values.dryRun) return await ask({ costUsd: estimate.costUsd, project: values.project ?? null });
    context.note(
      `reading the source: ${formatQuantity(gets, 'GET')} of ${formatBytes(bytes)}, ${costText(estimate.costUsd)}`,
    );
    const planned = { costUsd: estimate.costUsd, project: values.project ?? null, uploadId: url };
    for (const line of (await dryRunRetrievalGate({ ...values }, planned, context)).lines) context.note(line.trim());
  };
}

/** With transfer to the internet: how far the objects travel is not known. */
const costText = (costUsd: number | null): string =>
  costUsd === null
    ? 'at a price that is not known'
    : `${formatUsd(costUsd)} at most (no transfer is billed inside its region)`;
