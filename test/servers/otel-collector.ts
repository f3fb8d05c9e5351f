// The OpenTelemetry Collector, built with Go by the collector's own builder out of its OTLP receiver and exporter. It receives as it does
// anywhere, and sends what it has read on to the test as JSON.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from './free-ports.js';
import { notOnPath, serve, serverFolder } from './serve.js';

const run = promisify(execFile);
const BUILD_MS = 1_500_000;
const RELEASE = 'v0.165.0';
const MODULES = 'go.opentelemetry.io/collector';
/** Names one that is built already. */
const BUILT = 'ARCHIVER_TEST_OTELCOL';

type Value = Readonly<Record<'stringValue' | 'intValue' | 'doubleValue' | 'boolValue', string | number | boolean>>;
type Pairs = readonly { readonly key: string; readonly value: Partial<Value> }[];

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Pairs };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly kind: number;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly startTimeUnixNano: string;
        readonly endTimeUnixNano: string;
        readonly attributes?: Pairs;
        readonly status: { readonly code?: number };
      }[];
    }[];
  }[];
}

export interface CollectedSpan {
  readonly name: string;
  readonly isClient: boolean;
  readonly isError: boolean;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly resource: Readonly<Record<string, string | number | boolean>>;
}

export interface OtelCollector {
  readonly url: string;
  readonly spans: CollectedSpan[];
  readonly stop: () => Promise<void>;
}

/** Builds and starts it; or returns why it cannot be had here. */
export async function otelCollector(): Promise<OtelCollector | string> {
  const built = process.env[BUILT];
  const folder = serverFolder('otelcol-build');
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    return await start(built ?? (await build(folder)), remove);
  } catch (error) {
    await remove();
    return `the collector cannot be built or started: ${String(error).slice(0, 500)}`;
  }
}

async function build(folder: string): Promise<string> {
  const lacking = notOnPath('go');
  if (lacking !== undefined) throw new Error(lacking);
  const config = join(folder, 'builder.yaml');
  const module = (name: string): object => ({ gomod: `${MODULES}/${name} ${RELEASE}` });
  writeFileSync(
    config,
    JSON.stringify({
      dist: { name: 'otelcol', output_path: join(folder, 'out') },
      receivers: [module('receiver/otlpreceiver')],
      exporters: [module('exporter/otlphttpexporter')],
    }),
  );
  const options = { timeout: BUILD_MS, env: { ...process.env, GOBIN: folder, CGO_ENABLED: '0' } };
  await run('go', ['install', `${MODULES}/cmd/builder@${RELEASE}`], options);
  await run(join(folder, 'builder'), ['--config', config], { ...options, maxBuffer: 2 ** 26 });
  return join(folder, 'out', 'otelcol');
}

async function start(command: string, remove: () => Promise<void>): Promise<OtelCollector> {
  const spans: CollectedSpan[] = [];
  const sink = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => {
      spans.push(...spansIn(JSON.parse(Buffer.concat(parts).toString()) as Sent));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  sink.listen(0, '127.0.0.1');
  await once(sink, 'listening');
  const { port } = sink.address() as AddressInfo;
  const receiver = `127.0.0.1:${await freePorts(1)}`;
  const url = `http://${receiver}`;
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: receiver } } } },
    exporters: {
      // Without a queue it answers when the test has the spans.
      otlp_http: {
        endpoint: `http://127.0.0.1:${port}`,
        encoding: 'json',
        compression: 'none',
        sending_queue: { enabled: false },
      },
    },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['otlp_http'] } },
    },
  };
  const { stop } = await serve({
    name: 'otelcol',
    command,
    args: (folder) => {
      writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config));
      return ['--config', join(folder, 'config.yaml')];
    },
    url,
  });
  return {
    url,
    spans,
    stop: async () => {
      await stop();
      sink.close();
      await remove();
    },
  };
}

const attributesOf = (pairs: Pairs = []): CollectedSpan['attributes'] =>
  Object.fromEntries(
    pairs.map(({ key, value: { intValue, ...other } }) => [
      key,
      intValue === undefined ? (Object.values(other)[0] ?? '') : Number(intValue),
    ]),
  );

const CLIENT = 3;
const ERROR = 2;

const spansIn = ({ resourceSpans }: Sent): readonly CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map(({ name, kind, traceId, spanId, parentSpanId = '', status, ...span }) => ({
        name,
        isClient: kind === CLIENT,
        isError: status.code === ERROR,
        traceId,
        spanId,
        parentSpanId,
        startNs: BigInt(span.startTimeUnixNano),
        endNs: BigInt(span.endTimeUnixNano),
        attributes: attributesOf(span.attributes),
        resource: attributesOf(resource.attributes),
      })),
    ),
  );
