// The calls to Athena against a server that answers as it is told; test/commands/money/analyze-athena.servers.test.ts is against moto.
import { beforeAll, expect, test } from 'vitest';
import { runAthenaQuery } from '../../../../src/core/money/analyze/inventory/athena-client.js';
import { type HookServer, startHook } from '../../../support/hook-server.js';
import { useTestCredentials } from '../../../support/open-s3.js';

beforeAll(useTestCredentials);

const answer = (body: object, status = 200) => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.1' },
  body: JSON.stringify(body),
});
const started = answer({ QueryExecutionId: 'q1' });
const state = (State: string, DataScannedInBytes: number, StateChangeReason?: string) =>
  answer({ QueryExecution: { Status: { State, StateChangeReason }, Statistics: { DataScannedInBytes } } });
const rows = (texts: readonly (readonly string[])[], NextToken?: string) =>
  answer({
    ResultSet: { Rows: texts.map((row) => ({ Data: row.map((VarCharValue) => ({ VarCharValue })) })) },
    NextToken,
  });

const ask = ({ url }: HookServer, more: { readonly maxScanBytes?: number; readonly signal?: AbortSignal } = {}) =>
  runAthenaQuery(
    { env: {}, endpointUrl: url, region: 'us-east-1' },
    {
      sql: 'SELECT 1',
      database: 'inventories',
      workgroup: 'primary',
      outputLocation: 's3://results/',
      maxScanBytes: more.maxScanBytes,
      signal: more.signal ?? new AbortController().signal,
    },
  );
const callsOf = ({ requests }: HookServer): readonly string[] =>
  requests.map(({ headers }) => String(headers['x-amz-target']).replace('AmazonAthena.', ''));

test('one query is started, waited for, and read page by page without its heading', async () => {
  const server = await startHook([
    started,
    state('QUEUED', 0),
    state('SUCCEEDED', 1234),
    rows([['a', 'b'], ['1', '2']], 'more'), // oxfmt-ignore
    rows([['3', '4']]),
  ]);

  expect(await ask(server)).toEqual({ queryId: 'q1', scannedBytes: 1234, rows: [['1', '2'], ['3', '4']] }); // oxfmt-ignore

  expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
    QueryString: 'SELECT 1',
    QueryExecutionContext: { Database: 'inventories' },
    WorkGroup: 'primary',
    ResultConfiguration: { OutputLocation: 's3://results/' },
  });
  expect(JSON.parse(server.requests[4]?.body ?? '')).toMatchObject({ QueryExecutionId: 'q1', NextToken: 'more' });
});

test('a query that reads more than it may is stopped', async () => {
  const server = await startHook([started, state('RUNNING', 1001), answer({})]);
  await expect(ask(server, { maxScanBytes: 1000 })).rejects.toMatchObject({ code: 'budget-exceeded' });
  expect(callsOf(server)).toEqual(['StartQueryExecution', 'GetQueryExecution', 'StopQueryExecution']);
});

test('a query that is interrupted is stopped', async () => {
  const interrupted = new AbortController();
  let calls = 0;
  const onRequest = (): void => {
    calls += 1;
    if (calls === 2) interrupted.abort();
  };
  const server = await startHook([started, state('RUNNING', 0), answer({})], { onRequest });
  await expect(ask(server, { signal: interrupted.signal })).rejects.toMatchObject({ code: 'cancelled' });
  expect(callsOf(server).at(-1)).toBe('StopQueryExecution');
});

test('a query that fails says why', async () => {
  const server = await startHook([started, state('FAILED', 0, "TABLE_NOT_FOUND: 'daily' does not exist")]);
  await expect(ask(server)).rejects.toMatchObject({
    code: 'store',
    message: "query q1 of Athena failed: TABLE_NOT_FOUND: 'daily' does not exist",
  });
});

test('rights that are missing are named', async () => {
  const denied = { __type: 'AccessDeniedException', message: 'not authorized to perform: athena:StartQueryExecution' };
  const server = await startHook([answer(denied, 400)]);
  await expect(ask(server)).rejects.toMatchObject({
    code: 'access-denied',
    hint: expect.stringContaining('glue:GetTable') as string,
  });
});
