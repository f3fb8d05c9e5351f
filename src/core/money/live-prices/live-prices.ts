// Current list prices of AWS: fetched once a day and cached with their date in archiver's folder. Prices that AWS does not return are taken
// from the built-in list, and this is reported.
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pricesIn, type PlacePrices, type PriceList } from '../../cost/price-table.js';
import * as s from '../../platform/documents/schema.js';
import { reasonText } from '../../platform/failures/errno.js';
import { ArchiverError, isArchiverError, systemCode } from '../../platform/failures/errors.js';
import type { AwsSources } from '../../store/s3/s3-profile.js';
import { printable } from '../../platform/paths/raw-path.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import { replaceFile } from '../../platform/state/replace-file.js';
import { livePlace, METER_COUNT } from './product-prices.js';

const DAY_MS = 86_400_000;
const BODY = s.schema(() => s.object({ fetchedAt: s.moment, found: s.count, prices: s.unchecked<PlacePrices>() }));
type Kept = s.Read<typeof BODY>;
const KIND = { type: 'live-prices', format: 1, noun: 'list of live prices', body: BODY } as const;
const REGION = /^[a-z0-9-]{1,40}$/;

export interface LiveOptions {
  readonly region: string;
  /** Archiver's own folder. */
  readonly home: string;
  readonly sources: AwsSources;
  readonly now: Date;
  readonly signal: AbortSignal;
  /** Called when the prices could not be cached. */
  readonly warn: (text: string) => void;
}

/** Returns the prices of a region. @throws access-denied without credentials, not-found for a region without prices, store */
export async function livePrices(options: LiveOptions): Promise<PriceList> {
  const { region, home, now } = options;
  if (!REGION.test(region)) throw noPrices(region);
  const path = join(home, 'prices', `${region}.json`);
  const { fetchedAt, found, prices } = (await readKept(path, now)) ?? (await fetchAndKeep(path, options));
  const list = pricesIn(region);
  const rest =
    found === METER_COUNT ? '' : `, ${METER_COUNT - found} of ${METER_COUNT} of the list of ${list.pricesOf}`;
  return { ...list, ...prices, pricesOf: fetchedAt.slice(0, 10), terms: [`live prices of ${fetchedAt}${rest}`] };
}

const noPrices = (region: string): ArchiverError =>
  new ArchiverError('not-found', `AWS lists no prices of S3 in '${printable(region)}'`, {
    hint: 'name a region of AWS, such as us-west-2, with --region',
  });

/** Returns cached prices of the last 24 hours; undefined when there are none, or when they are damaged or unreadable. */
async function readKept(path: string, now: Date): Promise<Kept | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
  try {
    const kept = readStateDocument(text, KIND, { path, hint: 'remove it' });
    const ageMs = now.getTime() - Date.parse(kept.fetchedAt);
    return ageMs >= 0 && ageMs < DAY_MS ? kept : undefined;
  } catch (error) {
    if (isArchiverError(error, 'integrity', 'unsupported')) return undefined;
    throw error;
  }
}

async function fetchAndKeep(path: string, options: LiveOptions): Promise<Kept> {
  const { region, now, sources, signal, warn } = options;
  const { withProducts } = await import('./get-products.js');
  const products = await withProducts(sources, signal, async (getProducts) => {
    const answers = await Promise.all([
      getProducts({ serviceCode: 'AmazonS3', fields: { regionCode: region } }),
      getProducts({ serviceCode: 'AmazonS3GlacierDeepArchive', fields: { regionCode: region } }),
      getProducts({
        serviceCode: 'AWSDataTransfer',
        fields: { fromRegionCode: region, transferType: 'AWS Outbound' },
      }),
    ]);
    return answers.flat();
  });
  const { prices, found } = livePlace(products, pricesIn(region));
  if (found === 0) throw noPrices(region);
  const kept: Kept = { fetchedAt: now.toISOString(), found, prices };
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await replaceFile(path, encodeStateDocument(KIND, kept));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    warn(`the prices are not kept for today: ${reasonText(error)}`);
  }
  return kept;
}
