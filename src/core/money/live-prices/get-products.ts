// Queries the price list API of AWS. The only file that knows its SDK. Credentials, profile and transport are those of S3.
import { type Filter, GetProductsCommand, PricingClient } from '@aws-sdk/client-pricing';
import { ArchiverError } from '../../platform/failures/errors.js';
import { awsService } from '../../store/s3/aws-service.js';
import { awsServiceError } from '../../store/s3/aws-service-error.js';
import { networkOf } from '../../store/s3/s3-network.js';
import { type AwsSources, tokenEndpoint } from '../../store/s3/s3-profile.js';
import { untilCancelled } from '../../store/until-cancelled.js';

/** The API exists in three regions only; each has the prices of all regions. */
const API_REGION = 'us-east-1';
const PAGE = 100;
const SOCKETS = 3;
const HINT = 'leave out --real-time-pricing to use the list that comes with archiver';

export interface ProductQuery {
  readonly serviceCode: string;
  /** Attributes that products must have. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Returns the JSON text of each product. */
export type GetProducts = (query: ProductQuery) => Promise<readonly string[]>;

/** Opens the price list for `work`. @throws access-denied without credentials, store */
export async function withProducts<T>(
  sources: AwsSources,
  signal: AbortSignal,
  work: (getProducts: GetProducts) => Promise<T>,
): Promise<T> {
  const network = await networkOf(sources);
  const endpoint = await tokenEndpoint('pricing', sources);
  const settings = awsService({ ...sources, region: API_REGION, endpoint, network, maxSockets: SOCKETS });
  const client = new PricingClient(settings);
  try {
    return await work((query) => allPages(client, query, signal));
  } catch (error) {
    const rights = `the credentials need pricing:GetProducts; ${HINT}`;
    throw awsServiceError(error, { asked: 'the price list of AWS', rights, hint: HINT });
  } finally {
    settings.requestHandler.destroy();
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
