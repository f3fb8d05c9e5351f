// Traces of commands as a collector gets them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { openTracing } from '../../../src/core/diagnostics/observe/tracing.js';
import { archiver } from '../../e2e/upload-cli.js';
import { type OtlpReceiver, type ReceivedSpan, startOtlp } from '../../support/otlp-receiver.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
  mkdirSync(join(folder, 'private-folder'));
  for (let at = 0; at < 8; at++) writeFileSync(join(folder, 'private-folder', `private-${at}`), `content ${at}`);
});

const run = (...argv: string[]): Promise<CommandRun> => runCommand({ root, folder }, argv);
const sendingTo = ({ url }: Pick<OtlpReceiver, 'url'>, exporter = 'otlp'): string[] => [
  '--tracing',
  '--tracing-exporter',
  exporter,
  '--tracing-endpoint',
  url,
];
const upload = (...more: string[]): Promise<CommandRun> =>
  run('upload', 'private-folder', join(folder, 'store'), '--json', ...more);

function only(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const [span, ...others] = spans.filter((one) => one.name === name);
  if (span === undefined || others.length > 0) throw new Error(`${name} is there ${others.length + 1} times`);
  return span;
}

describe('--tracing', () => {
  test.each(['otlp', 'jaeger'])('an upload is a trace of its parts, sent by %s', async (exporter) => {
    const collector = await startOtlp();

    const { status, stdout } = await upload(...sendingTo(collector, exporter));

    const { spans, requests } = collector;
    const whole = only(spans, 'upload');
    const {
      uploadId,
      chunks,
      requests: sent,
    } = json(stdout) as { requests: { put: number } } & Record<string, unknown>;
    expect([status, requests[0]?.path]).toEqual([0, '/v1/traces']);
    expect(whole).toMatchObject({
      parentSpanId: '',
      isError: false,
      resource: { 'service.name': 'archiver' },
      attributes: {
        'archiver.command': 'upload',
        'archiver.upload_id': uploadId,
        'archiver.outcome': 'done',
        'archiver.store': 'file:',
        'archiver.planned_items': 8,
      },
    });
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([whole.traceId]));
    for (const name of ['scan', 'plan', 'transfer', 'manifest', 'commit'])
      expect(only(spans, name).parentSpanId).toBe(whole.spanId);
    expect(spans.filter(({ name }) => name === 'chunk')).toHaveLength(Number(chunks));
    const puts = spans.filter(({ name }) => name === 'put');
    expect(puts).toHaveLength(sent.put);
    const chunk = spans.find(({ name }) => name === 'chunk');
    const inChunk = spans.filter(({ parentSpanId }) => parentSpanId === chunk?.spanId);
    expect(inChunk.map(({ name }) => name).toSorted()).toEqual(['pack', 'put']);
    const put = inChunk.find(({ name }) => name === 'put');
    const pack = inChunk.find(({ name }) => name === 'pack');
    expect((pack?.endNs ?? 0n) < (put?.endNs ?? 0n)).toBe(true);
    expect(put?.attributes).toMatchObject({
      'archiver.object': 'chunk',
      'archiver.storage_class': 'STANDARD',
      'archiver.attempt': 1,
      'archiver.bytes': chunk?.attributes['archiver.stored_bytes'],
    });
    expect(puts.map(({ attributes }) => attributes['archiver.object'])).toContain('manifest');
    for (const { startNs, endNs } of spans) expect(startNs <= endNs && endNs - startNs < 3_600_000_000_000n).toBe(true);
  });

  test('says no name of a file, nor of a folder of this computer', async () => {
    const collector = await startOtlp();

    await upload(...sendingTo(collector));
    await run('restore', join(folder, 'store'), join(folder, 'private-out'), '--all', ...sendingTo(collector));

    const sent = Buffer.concat(collector.requests.map(({ body }) => body)).toString('latin1');
    expect(collector.spans.some(({ name }) => name === 'restore')).toBe(true);
    expect(sent).not.toContain('private');
    expect(sent).not.toContain(folder);
  });

  test('a restore is one of plan, requests and chunks', async () => {
    const collector = await startOtlp();
    await upload();

    await run('restore', join(folder, 'store'), join(folder, 'out'), '--all', ...sendingTo(collector));

    const { spans } = collector;
    const whole = only(spans, 'restore');
    for (const name of ['plan', 'transfer', 'finish']) expect(only(spans, name).parentSpanId).toBe(whole.spanId);
    const unpack = spans.filter(({ name }) => name === 'unpack');
    expect(unpack.length).toBeGreaterThan(0);
    for (const { spanId } of unpack)
      expect(spans.filter(({ parentSpanId }) => parentSpanId === spanId).map(({ name }) => name)).toEqual(['get']);
  });

  test('a failure is told by its kind, without its words', async () => {
    const collector = await startOtlp();
    writeFileSync(join(folder, 'store'), 'no folder');

    const { status } = await run('upload', 'private-folder', join(folder, 'store', 'x'), ...sendingTo(collector));

    expect(status).toBe(1);
    expect(only(collector.spans, 'upload')).toMatchObject({
      isError: true,
      attributes: { 'archiver.outcome': 'failed' },
    });
  });

  test('by itself writes a line for each span to stderr, and the result alone to stdout', async () => {
    const { status, stdout, stderr } = await upload('--tracing', '--progress-format', 'none');

    const lines = stderr.trim().split('\n');
    const spans = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect([status, Object.keys(json(stdout))]).toEqual([0, expect.arrayContaining(['uploadId'])]);
    expect(spans.every(({ type }) => type === 'span')).toBe(true);
    expect(spans.at(-1)).toMatchObject({ name: 'upload', parentSpanId: null, failure: null });
  });

  test('a collector that refuses costs a run no more than a warning', async () => {
    const refusing = await startOtlp(400);

    const { status, stderr } = await upload(...sendingTo(refusing), '--progress-format', 'none');

    expect(status).toBe(0);
    expect(stderr).toMatch(/^! \d+ spans did not arrive at http:\/\/127\.0\.0\.1:\d+: .*\n$/);
  });

  test.each([
    [['--tracing-exporter', 'otlp'], '--tracing-exporter needs --tracing'],
    [['--tracing-sample-rate', '0.5'], '--tracing-sample-rate needs --tracing'],
    [['--tracing', '--tracing-exporter', 'jaeger'], 'needs --tracing-endpoint'],
    [['--tracing', '--tracing-sample-rate', '1.5'], '--tracing-sample-rate'],
  ])('%j is refused', async (more, why) => {
    const { status, stderr } = await run('upload', 'private-folder', join(folder, 'store'), ...more);

    expect(status).toBe(2);
    expect(stderr).toContain(why);
  });

  test('follows the variables of OpenTelemetry, in the built program', async () => {
    const collector = await startOtlp();
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=lab',
      OTEL_SERVICE_NAME: 'nightly',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
      TRACEPARENT: `00-${traceId}-b7ad6b7169203331-01`,
    };

    const { status } = await archiver(
      folder,
      ['sync', 'private-folder', join(folder, 'store'), '--tracing', '--tracing-exporter', 'otlp'],
      { env },
    );

    const whole = only(collector.spans, 'sync');
    expect(status).toBe(0);
    expect(collector.requests[0]?.headers['x-tenant']).toBe('lab');
    expect(whole).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' });
    expect(whole.resource).toMatchObject({ 'service.name': 'nightly', 'deployment.environment': 'test' });
  });
});

describe('a collector that never answers', () => {
  test('holds up the end of a run for a bounded time', async () => {
    const silent = await startOtlp('silent');
    const settings = { url: `${silent.url}/v1/traces`, sampleRate: 1 };
    const world = { version: '0', env: {}, write: () => undefined, flushMs: 20 };
    const { sink, close } = openTracing(settings, world);

    sink.begin('upload', {}, { atMs: Date.now() }).end();

    expect(await close()).toBe(`traces did not arrive at ${silent.url} in time`);
  });

  test('is not asked where a trace is not sampled', async () => {
    const collector = await startOtlp();
    const { sink, close } = openTracing(
      { url: `${collector.url}/v1/traces`, sampleRate: 1e-12 },
      { version: '0', env: {}, write: () => undefined },
    );
    const whole = sink.begin('upload', {}, { atMs: Date.now() });
    sink.begin('scan', {}, { atMs: Date.now(), parent: whole }).end();
    whole.end();

    expect([await close(), collector.requests]).toEqual([undefined, []]);
  });
});
