// `analyze --engine athena` against moto, which runs no SQL: what it answers is what DuckDB says to the same statement.
import { randomBytes } from 'node:crypto';
import { AthenaClient, GetQueryExecutionCommand } from '@aws-sdk/client-athena';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, expect, test } from 'vitest';
import { command } from '../../../src/commands/money/analyze.js';
import { inventorySql } from '../../../src/core/money/analyze/inventory/athena-sql.js';
import { parseManifest } from '../../../src/core/money/analyze/inventory/manifest.js';
import { duckTable } from '../../support/duck-table.js';
import { ALL_COLUMNS, makeInventory, MANIFEST, rowsOf, versionsOf } from '../../support/make-inventory.js';
import { openTestS3, useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';
import { treeOf } from '../../support/tree-of.js';

const endpoint = process.env['ARCHIVER_TEST_MOTO'] ?? '';
const root = treeOf([command], [], 'analyze alone');
const NOW = new Date(Date.now() + 40 * 86_400_000);
const bucket = `lab-${randomBytes(4).toString('hex')}`;
const ATHENA = ['--engine', 'athena', '--athena-database', 'inventories', '--athena-table', 'daily'];

beforeAll(useTestCredentials);

async function run(...argv: string[]): Promise<CommandRun> {
  const env = { AWS_ACCESS_KEY_ID: 'archiver', AWS_SECRET_ACCESS_KEY: 'archiver-secret', NO_COLOR: '1' };
  const access = ['--endpoint-url', endpoint, '--region', 'us-east-1', '--provider', 'aws'];
  const host = { root, folder: await tempFolder(), env, now: () => NOW };
  return await runCommand(host, ['analyze', ...argv, ...access]);
}

test.each(['CSV', 'Parquet'] as const)('the report of %s is that of a listing', async (format) => {
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
  const [source, logs] = [`${bucket}-${format.toLowerCase()}`, `${bucket}-${format.toLowerCase()}-logs`];
  for (const Bucket of [source, logs]) await client.send(new CreateBucketCommand({ Bucket }));
  client.destroy();
  const { store } = await openTestS3(endpoint, source, { prefix: '' });
  // No folders: moto's listing of versions after a key leaves out the first one.
  for (let n = 0; n < 30; n++)
    await store.put(`a ü+${n}`, Buffer.alloc(n * 1000), n % 2 === 0 ? {} : { storageClass: 'STANDARD_IA' });
  const rows = rowsOf(await versionsOf(store), source);
  const made = await makeInventory(rows, { format, bucket: source });
  const delivery = await openTestS3(endpoint, logs, { prefix: '' });
  for (const [key, bytes] of made) await delivery.store.put(key, bytes);
  const listed = json((await run(`s3://${source}`, '--json')).stdout);

  const inventory = parseManifest(String(made.get(MANIFEST)), MANIFEST);
  const sql = inventorySql({ inventory, database: 'inventories', table: 'daily', prefix: '', now: NOW });
  const answer = await (await duckTable(rows, format, ALL_COLUMNS)).run(sql);
  const heading = ['storage_class', 'is_current', 'is_marker', 'age_days', 'from_bytes', 'objects', 'bytes'];
  const toRow = (cells: readonly string[]) => ({ Data: cells.map((VarCharValue) => ({ VarCharValue })) });
  const queued = await fetch(`${endpoint}/moto-api/static/athena/query-results`, {
    method: 'POST',
    body: JSON.stringify({ results: [{ rows: [heading, ...answer].map(toRow), column_info: [] }] }),
  });
  expect(queued.status).toBe(201);

  const output = `s3://${logs}/results/`;
  const manifest = `s3://${logs}/${MANIFEST}`;
  const asked = [`s3://${source}`, '--inventory', manifest, ...ATHENA, '--athena-output-location', output];
  const { status, stdout, stderr } = await run(...asked, '--json');

  expect([status, stderr]).toEqual([0, expect.stringContaining('Athena reads')]);
  const { inventory: read, requests: _requests, durationMs: _ms, ...found } = json(stdout);
  const { requests: _others, durationMs: _otherMs, ...expected } = listed;
  expect(found).toEqual(expected);
  expect(found).toMatchObject({ objects: 30, bytes: 435_000 });
  const { queryId } = (read as { athena: { queryId: string } }).athena;
  const athena = new AthenaClient({ endpoint, region: 'us-east-1' });
  const { QueryExecution } = await athena.send(new GetQueryExecutionCommand({ QueryExecutionId: queryId }));
  athena.destroy();
  expect(QueryExecution).toMatchObject({
    Query: sql,
    QueryExecutionContext: { Database: 'inventories' },
    WorkGroup: 'primary',
    ResultConfiguration: { OutputLocation: expect.stringContaining(output) as string },
  });

  const { status: failed, stderr: why } = await run(...asked, '--athena-workgroup', 'nobody');
  expect([failed, why]).toEqual([1, expect.stringContaining('Athena: the service answered 4')]);
});
