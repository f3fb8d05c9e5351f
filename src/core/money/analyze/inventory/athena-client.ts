// Runs one Athena query. The only file that knows its SDK. Credentials, profile and transport are those of S3.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AthenaClient,
  GetQueryExecutionCommand,
  GetQueryResultsCommand,
  type QueryExecution,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena';
import { ArchiverError, errorText } from '../../../platform/failures/errors.js';
import { awsService } from '../../../store/s3/aws-service.js';
import { awsServiceError } from '../../../store/s3/aws-service-error.js';
import { networkOf, type NetworkSources } from '../../../store/s3/s3-network.js';
import { serviceEndpointOf, type EndpointSources } from '../../../store/s3/s3-profile.js';
import { untilCancelled } from '../../../store/until-cancelled.js';
import { printable } from '../../../platform/paths/raw-path.js';

const TIMEOUTS = { connectMs: 10_000, idleMs: 30_000, answerMs: 60_000 };
const ATTEMPTS = 5;
const FIRST_POLL_MS = 200;
const LONGEST_POLL_MS = 3000;
const RIGHTS =
  'the credentials need athena:StartQueryExecution, athena:GetQueryExecution, athena:GetQueryResults and athena:StopQueryExecution, ' +
  'glue:GetTable and glue:GetPartitions, and may read the inventory and write to the output location';

export interface AthenaQuery {
  readonly sql: string;
  readonly database: string;
  readonly workgroup: string;
  /** S3 location of the result; undefined when the workgroup defines it. */
  readonly outputLocation: string | undefined;
  /** The query is stopped when it has read more bytes. */
  readonly maxScanBytes: number | undefined;
  readonly signal: AbortSignal;
}

export interface AthenaAnswer {
  readonly queryId: string;
  readonly scannedBytes: number;
  /** Rows of the result, without the heading. */
  readonly rows: readonly (readonly string[])[];
}

export type AthenaSources = EndpointSources & NetworkSources & { readonly region: string };

/**
 * Runs the query and waits for its result. @throws access-denied, budget-exceeded where more was read than allowed, store for a query that
 * fails, cancelled
 */
export async function runAthenaQuery(sources: AthenaSources, query: AthenaQuery): Promise<AthenaAnswer> {
  const { env, profile, region } = sources;
  const network = await networkOf(sources);
  const endpoint = await serviceEndpointOf('athena', sources);
  const how = { timeouts: TIMEOUTS, maxAttempts: ATTEMPTS };
  const settings = awsService({ env, profile, region, endpoint, network, ...how });
  try {
    return await answerTo(new AthenaClient(settings), query);
  } catch (error) {
    const hint = 'see --athena-workgroup and --athena-output-location';
    throw awsServiceError(error, { asked: 'Athena', rights: RIGHTS, hint });
  } finally {
    settings.requestHandler.destroy();
  }
}

async function answerTo(client: AthenaClient, query: AthenaQuery): Promise<AthenaAnswer> {
  const { sql, database, workgroup, outputLocation, signal } = query;
  const start = new StartQueryExecutionCommand({
    QueryString: sql,
    QueryExecutionContext: { Database: database },
    WorkGroup: workgroup,
    ...(outputLocation === undefined ? {} : { ResultConfiguration: { OutputLocation: outputLocation } }),
  });
  const { QueryExecutionId: queryId = '' } = await client.send(start);
  let execution: QueryExecution;
  try {
    execution = await ended(client, queryId, query);
  } catch (error) {
    // Stop a query that nobody waits for any more, so that it does not go on costing money.
    await client.send(new StopQueryExecutionCommand({ QueryExecutionId: queryId })).catch((cause: unknown) => {
      throw new ArchiverError(
        'store',
        `${errorText(error)}; query ${queryId} of Athena could not be stopped and goes on`,
        {
          cause,
        },
      );
    });
    throw error;
  }
  const { State, StateChangeReason = 'no reason is given' } = execution.Status ?? {};
  if (State !== 'SUCCEEDED')
    throw new ArchiverError(
      'store',
      `query ${queryId} of Athena ${State === 'CANCELLED' ? 'was cancelled' : 'failed'}: ${printable(StateChangeReason)}`,
      {
        hint: `see that the table is one over this inventory, as the user guide of S3 makes it, with the partition dt; ${RIGHTS}`,
      },
    );
  const scannedBytes = execution.Statistics?.DataScannedInBytes ?? 0;
  return { queryId, scannedBytes, rows: await rowsOf(client, queryId, signal) };
}

async function ended(client: AthenaClient, queryId: string, query: AthenaQuery): Promise<QueryExecution> {
  const { signal, maxScanBytes = Number.POSITIVE_INFINITY } = query;
  for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_POLL_MS)) {
    const command = new GetQueryExecutionCommand({ QueryExecutionId: queryId });
    const { QueryExecution: execution = {} } = await untilCancelled(
      client.send(command, { abortSignal: signal }),
      signal,
    );
    const state = execution.Status?.State;
    if (state !== 'QUEUED' && state !== 'RUNNING') return execution;
    if ((execution.Statistics?.DataScannedInBytes ?? 0) > maxScanBytes)
      throw new ArchiverError(
        'budget-exceeded',
        `query ${queryId} of Athena has read more than ${maxScanBytes} bytes`,
        {
          hint: 'allow more with --athena-max-scan, or leave it out',
        },
      );
    await sleep(waitMs, undefined, { signal });
  }
}

async function rowsOf(
  client: AthenaClient,
  queryId: string,
  signal: AbortSignal,
): Promise<readonly (readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  let NextToken: string | undefined;
  do {
    const command = new GetQueryResultsCommand({ QueryExecutionId: queryId, NextToken });
    const answer = await untilCancelled(client.send(command, { abortSignal: signal }), signal);
    for (const { Data = [] } of answer.ResultSet?.Rows ?? [])
      rows.push(Data.map(({ VarCharValue = '' }) => VarCharValue));
    NextToken = answer.NextToken;
  } while (NextToken !== undefined);
  return rows.slice(1);
}
