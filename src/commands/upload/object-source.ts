// An s3:// prefix as the source of `upload` and `sync`: its objects are archived like files (docs/decisions/092).
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.js';
import { placeUrlOf, type Around, storeWord } from '../../cli/named-stores.js';
import { dashed, joinWords } from '../../cli/rule.js';
import type { archiveInto } from '../../core/archive/archive-folder.js';
import { archiveObjects, READS_AT_ONCE } from '../../core/archive/archive-objects.js';
import type { Origin } from '../../core/archive/run/settings.js';
import { estimateRetrieval, type RetrievalChunk } from '../../core/cost/retrieval-cost.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { printable, rawFromText } from '../../core/platform/paths/raw-path.js';
import { withoutLogin } from '../../core/store/endpoint-url.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { joinStoreUrl, parseStoreUrl } from '../../core/store/store-url.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';
import { provenanceFlags } from '../kit/flags.js';
import { pricedBy } from '../kit/prices.js';
import { dryRunRetrievalGate, retrievalGate } from '../kit/slots.js';
import { openForReading } from '../kit/store.js';
import { directFlags } from './direct-flags.js';
import { objectAccess, type ObjectAccessValues } from './object-access.js';
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

type ObjectsOf = NonNullable<Sources['objects']>;

export interface ObjectValues extends ObjectAccessValues {
  readonly tempDir: string | undefined;
  readonly project: string | undefined;
  readonly dryRun: boolean;
}

/** Returns an s3:// prefix as the source, also of a store with a name; undefined for folders and files. @throws usage for it beside others */
export function objectSources(
  given: readonly string[],
  values: ObjectAccessValues,
  context: Context<'upload'>,
): Sources | undefined {
  const [first = ''] = given;
  const places = given.map((text) => objectPlace(text, context));
  const url = places.find((place) => place !== undefined);
  if (url === undefined) return undefined;
  if (given.length > 1)
    throw usageError(
      `an s3:// SOURCE is archived by itself, and ${formatQuantity(given.length, 'source')} were given`,
      'upload them one by one',
    );
  parseStoreUrl(url);
  const objects = joinStoreUrl(url);
  const real = rawFromText(objects);
  return {
    named: [{ given: first, real }],
    root: real,
    folder: undefined,
    origin: undefined,
    skipTrees: [],
    objects: { url: objects, access: objectAccess({ given: first, url: objects }, values, context) },
  };
}

/** The URL of objects; undefined for a path. @throws usage for a name of a store that is a folder, or that a folder here has as well */
function objectPlace(text: string, around: Around): string | undefined {
  if (isObjectUrl(text)) return text;
  const word = storeWord(text, around.stores);
  const url = word && placeUrlOf(text, around);
  if (word === undefined || url === undefined) return undefined;
  const [shown, store] = [printable(text), printable(word.store.name)];
  if (existsSync(resolve(around.cwd, text)))
    throw usageError(
      `${shown} may be what has that name here, or objects of the store ${store}`,
      `write ./${shown} for the first, ${printable(url)} for the second`,
    );
  if (isObjectUrl(url)) return url;
  throw usageError(
    `the store ${store} is a folder, and only of a bucket can a SOURCE be written as ${shown}`,
    `write ${printable(url.replace('file://', ''))}`,
  );
}

/** Refuses flags that can do nothing for this kind of source. @throws usage */
export function refuseIdleFlags({ objects }: Sources, { origins }: Pick<Context, 'origins'>): void {
  const keys = objects === undefined ? Object.keys(objectFlags) : IDLE_KEYS;
  const idle = keys.filter((key) => origins[key] === 'flag').map(dashed);
  if (idle.length === 0) return;
  const kind = objects === undefined ? 'a SOURCE that is no s3:// URL' : 'an s3:// SOURCE';
  throw usageError(`${joinWords(idle, 'and')} can do nothing for ${kind}`);
}

/** The server that has the objects, without a login; undefined for AWS. */
export async function objectServer({ access }: ObjectsOf, { env }: Pick<Context, 'env'>): Promise<string | undefined> {
  const { storeEndpoint } = await import('../../core/store/s3/s3-profile.js');
  const { profile, endpointUrl } = access.values;
  return withoutLogin(await storeEndpoint({ env, profile, endpointUrl }));
}

/** What stands for the objects: their URL; the dataset's id is made of that and of the server, since buckets of several may share a name. */
export async function objectOrigin(objects: ObjectsOf, context: Pick<Context, 'env'>): Promise<Origin> {
  return { path: rawFromText(objects.url), owner: (await objectServer(objects, context)) ?? 's3' };
}

/** Returns what makes a call archive objects; nothing for files. */
export function objectCall(
  { objects }: Sources,
  values: ObjectValues,
  context: Context<'upload'>,
): { readonly archive?: typeof archiveInto } {
  if (objects === undefined) return {};
  const tempParent = resolve(context.cwd, values.tempDir ?? tmpdir());
  const { url, access } = objects;
  const mayRead = askedBy(values, objects, context);
  return {
    archive: async (open, options) => {
      const use = { requestsAtOnce: READS_AT_ONCE, onEvent: options.emit };
      const source = {
        open: async () => await openForReading(url, access.values, access.context, use),
        tempParent,
        mayRead,
      };
      return await archiveObjects(open, source, options);
    },
  };
}

/** Asks budgets about what reading the objects costs; a dry run says it. */
function askedBy(values: ObjectValues, { url, access }: ObjectsOf, context: Context<'upload'>) {
  const ask = retrievalGate({ ...values }, url, context);
  return async (chunks: readonly RetrievalChunk[], opened: OpenedStore): Promise<void> => {
    const { region, isAws } = opened;
    const place = { ...pricedBy(access.context, opened), region, isAws };
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
