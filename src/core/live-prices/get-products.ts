// The price list of AWS over its API. The only file that knows its SDK. Credentials, profile and transport are those of S3.
import { type Filter, GetProductsCommand, PricingClient } from '@aws-sdk/client-pricing';
import { ArchiverError, cancelledError, errorText, isArchiverError } from '../failures/errors.js';
import { awsCredentials } from '../object-store/s3/s3-credentials.js';
import { S3HttpHandler } from '../object-store/s3/s3-http-handler.js';
import { networkOf } from '../object-store/s3/s3-network.js';
import { type AwsSources, tokenEndpoint } from '../object-store/s3/s3-profile.js';
import { untilCancelled } from '../object-store/until-cancelled.js';
import { printable } from '../paths/raw-path.js';

/** The API is in three regions only, whatever region is priced. */
const API_REGION = 'us-east-1';
const PAGE = 100;
const TIMEOUTS = { connectMs: 10_000, idleMs: 30_000, answerMs: 30_000 };
const SOCKETS = 3;
const HINT = 'leave out --real-time-pricing to use the list that comes with archiver';

export interface ProductQuery {
  readonly serviceCode: string;
  /** Attributes that products must have. */
  readonly fields: Readonly<Record<string, string>>;
}

/** One answer: the text of each product. */
export type GetProducts = (query: ProductQuery) => Promise<readonly string[]>;

/** Opens the price list for `work`. @throws access-denied without credentials, store */
export async function withProducts<T>(
  sources: AwsSources,
  signal: AbortSignal,
  work: (getProducts: GetProducts) => Promise<T>,
): Promise<T> {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const network = await networkOf(sources);
  const requestHandler = new S3HttpHandler({ maxSockets: SOCKETS, timeouts: TIMEOUTS, network });
  const endpoint = await tokenEndpoint('pricing', sources);
  const client = new PricingClient({
    region: API_REGION,
    requestHandler,
    credentials: awsCredentials({ ...sources, requestHandler }),
    ...(endpoint === undefined ? { ignoreConfiguredEndpointUrls: true } : { endpoint }),
  });
  try {
    return await work((query) => allPages(client, query, signal));
  } catch (error) {
    throw pricingError(error);
  } finally {
    requestHandler.destroy();
  }
}

async function allPages(client: PricingClient, query: ProductQuery, signal: AbortSignal): Promise<readonly string[]> {
  const Filters = Object.entries(query.fields).map(([Field, Value]): Filter => ({ Type: 'TERM_MATCH', Field, Value }));
  const found: string[] = [];
  let NextToken: string | undefined;
  do {
    const command = new GetProductsCommand({
      ServiceCode: query.serviceCode,
      Filters,
      FormatVersion: 'aws_v1',
      MaxResults: PAGE,
      NextToken,
    });
    const answer = await untilCancelled(client.send(command, { abortSignal: signal }), signal);
    found.push(...(answer.PriceList ?? []).map(String));
    if (answer.NextToken !== undefined && answer.NextToken === NextToken)
      throw new ArchiverError('store', 'the price list of AWS gives the same page again and again', { hint: HINT });
    NextToken = answer.NextToken;
  } while (NextToken !== undefined);
  return found;
}

function pricingError(error: unknown): Error {
  if (isArchiverError(error)) return error;
  if (error instanceof Error && error.name === 'AbortError') return cancelledError();
  const name = error instanceof Error ? error.name : '';
  // The SDK's error holds the whole exchange, signed headers included: only what it says is kept.
  const cause = Object.assign(new Error(errorText(error)), { name });
  if (/credentials/i.test(name))
    return new ArchiverError('access-denied', 'live prices need AWS credentials, and there are none', {
      hint: `set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile with --profile; ${HINT}`,
      cause,
    });
  if (/^(?:AccessDenied|ExpiredToken|UnrecognizedClient|InvalidSignature|InvalidClientTokenId)/.test(name))
    return new ArchiverError('access-denied', `pricing:GetProducts was refused: ${printable(errorText(error))}`, {
      hint: `the credentials need pricing:GetProducts; ${HINT}`,
      cause,
    });
  return new ArchiverError('store', `the price list of AWS cannot be read: ${printable(errorText(error))}`, {
    hint: HINT,
    cause,
  });
}
