// Traces of runs on a real S3 server, as the OpenTelemetry Collector reads them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archiver } from '../../e2e/upload-cli.js';
import { noise } from '../../core/archive/trees.js';
import { type OtelCollector, otelCollector } from '../../servers/otel-collector.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { tempFolder } from '../../support/temp-folder.js';

/** A server that is used again keeps the one before. */
const BUCKET = `traced-${process.pid}-${Date.now()}`;
const BUILD_MS = 1_800_000;
const upstream = process.env['ARCHIVER_TEST_MOTO'] ?? '';
const env = {
  AWS_ENDPOINT_URL: upstream,
  AWS_ACCESS_KEY_ID: 'archiver',
  AWS_SECRET_ACCESS_KEY: 'archiver-secret',
  AWS_REGION: 'us-east-1',
};

let collector: OtelCollector | string = '';

beforeAll(async () => {
  useTestCredentials();
  const client = new S3Client({ endpoint: upstream, region: 'us-east-1', forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  collector = await otelCollector();
}, BUILD_MS);
afterAll(async () => {
  if (typeof collector !== 'string') await collector.stop();
});

test('spans of syncs, uploads and restores lie within their parents, and requests are those of an HTTP client', async ({
  skip,
}) => {
  if (typeof collector === 'string') {
    skip(collector);
    return;
  }
  const { url, spans } = collector;
  const folder = await tempFolder();
  mkdirSync(join(folder, 'data'));
  const traced = ['--tracing', '--tracing-exporter', 'otlp', '--tracing-endpoint', url, '--endpoint-url', upstream];
  const run = (...args: string[]) => archiver(folder, [...args, ...traced, '-q'], { env });
  const statuses: unknown[] = [];
  for (const version of [1, 2, 3]) {
    for (let at = 0; at < 20; at++) writeFileSync(join(folder, 'data', `${version}-${at}`), noise(300_000));
    statuses.push((await run('sync', join(folder, 'data'), `s3://${BUCKET}/lab`)).status);
  }
  const [lab, many, none] = ['lab', 'many', 'none'].map((name) => `s3://${BUCKET}/${name}`) as [string, string, string];
  statuses.push((await run('upload', join(folder, 'data'), many, '--direct-upload')).status);
  statuses.push((await run('upload', join(folder, 'data'), many, '--shard-count', '8')).status);
  statuses.push((await run('restore', lab, join(folder, 'out'), '--all')).status);
  statuses.push((await run('restore', many, join(folder, 'many'), '--all')).status);
  const failed = await run('restore', none, join(folder, 'none'), '--all');

  expect(statuses).toEqual([0, 0, 0, 0, 0, 0, 0]);
  expect(failed.status).not.toBe(0);
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const outside = spans.filter(({ parentSpanId, traceId, startNs, endNs }) => {
    if (parentSpanId === '') return false;
    const parent = byId.get(parentSpanId);
    return !parent || parent.traceId !== traceId || startNs < parent.startNs || endNs > parent.endNs;
  });
  process.stderr.write(
    `OpenTelemetry Collector: ${spans.length} spans of ${new Set(spans.map(({ traceId }) => traceId)).size} operations checked, ` +
      `${spans.filter(({ isClient }) => isClient).length} of them requests, ${outside.length} outside of their parents\n`,
  );
  expect(spans.length).toBeGreaterThan(100);
  expect(outside).toEqual([]);
  const { hostname: host, port } = new URL(upstream);
  const requests = spans.filter(({ isClient }) => isClient);
  expect(new Set(requests.map(({ name }) => name))).toEqual(new Set(['put', 'get', 'list']));
  for (const { attributes, name, isError } of requests) {
    const methods: Readonly<Record<string, string>> = { put: 'PUT', get: 'GET', list: 'GET' };
    expect(attributes).toMatchObject({
      'http.request.method': methods[name],
      'server.address': host,
      'server.port': Number(port),
      'aws.s3.bucket': BUCKET,
    });
    expect(isError).toBe(Number(attributes['http.response.status_code']) >= 400);
    expect(isError).toBe('error.type' in attributes);
  }
  expect(spans.filter(({ isClient, attributes }) => !isClient && 'http.request.method' in attributes)).toEqual([]);
  expect(spans[0]?.resource).toMatchObject({
    'service.name': 'archiver',
    'service.instance.id': expect.stringMatching(/^[\da-f-]{36}$/),
    'host.name': hostname(),
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.language': 'nodejs',
  });
  // The last one found nothing to begin with.
  expect(new Set(spans.map(({ resource }) => resource['service.instance.id'])).size).toBe(statuses.length);
}, 300_000);
