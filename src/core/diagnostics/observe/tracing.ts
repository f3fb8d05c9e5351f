// Exports spans with OpenTelemetry; the only file that knows it. Spans wait in a bounded queue and are sent in batches, so that an
// unavailable collector costs spans and nothing else.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { ROOT_CONTEXT, type Context, type Span as OtelSpan, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { errorText } from '../../platform/failures/errors.js';
import { withoutSecrets } from '../../platform/failures/hide-secrets.js';
import type { Span, SpanSink } from './nested-span.js';
import type { TracingSettings } from './tracing-settings.js';

/** Time limit for the last spans at the end of a run, in ms. */
const FLUSH_MS = 3000;
/**
 * Time limit for a batch, including repetitions, unless a variable sets one; shorter than FLUSH_MS, so that the reason of a failure is
 * known by then.
 */
const EXPORT_MS = 2000;

export interface TracingWorld {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gets a line for each span when they are not sent. */
  readonly write: (line: string) => void;
  readonly flushMs?: number;
}

export interface Tracing {
  readonly sink: SpanSink;
  /** Sends the remaining spans. Never throws: resolves with a sentence if something went wrong. */
  readonly close: () => Promise<string | undefined>;
}

export function openTracing({ url, sampleRate }: TracingSettings, { version, env, ...world }: TracingWorld): Tracing {
  const lost = { spans: 0, why: '' };
  const processor =
    url === undefined
      ? new SimpleSpanProcessor({ exporter: lineExporter(world.write) })
      : new BatchSpanProcessor({ exporter: countingLost(new OTLPTraceExporter({ url, ...timeLimit(env) }), lost) });
  const named = {
    'service.name': 'archiver',
    'service.version': version,
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
    'process.pid': process.pid,
  };
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes(named))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRate) }),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('archiver', version);
  const outside = parentOf(env['TRACEPARENT']);
  const known = new WeakMap<Span, OtelSpan>();
  const sink: SpanSink = {
    begin(name, attributes, { parent, atMs, isClient = false }) {
      const within = parent === undefined ? undefined : known.get(parent);
      const context = within === undefined ? outside : trace.setSpan(ROOT_CONTEXT, within);
      const kind = isClient ? SpanKind.CLIENT : SpanKind.INTERNAL;
      const began = tracer.startSpan(name, { kind, attributes, startTime: atMs }, context);
      const span: Span = {
        set: (more) => void began.setAttributes(more),
        event: (what, about) => void began.addEvent(what, about),
        end(endMs, failure) {
          if (failure !== undefined) {
            began.setStatus({ code: SpanStatusCode.ERROR, message: failure });
            began.setAttribute('error.type', failure);
          }
          began.end(endMs);
        },
      };
      known.set(span, began);
      return span;
    },
  };
  const close = async (): Promise<string | undefined> => {
    const isOver = await within(provider.shutdown(), world.flushMs ?? FLUSH_MS, lost);
    const place = url === undefined ? '' : withoutSecrets(new URL(url).origin);
    if (!isOver) return `traces did not arrive at ${place} in time`;
    return lost.spans === 0
      ? undefined
      : `${lost.spans} spans did not arrive at ${place}: ${lost.why}${grpcHint(place)}`;
  };
  return { sink, close };
}

const timeLimit = (env: TracingWorld['env']): { readonly timeoutMillis?: number } =>
  env['OTEL_EXPORTER_OTLP_TIMEOUT'] || env['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT'] ? {} : { timeoutMillis: EXPORT_MS };

/** Returns false when it takes longer. */
async function within(work: Promise<void>, ms: number, lost: { why: string }): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, ms, false)));
  const done = work.then(
    () => true,
    (error: unknown) => {
      lost.why ||= errorText(error);
      return true;
    },
  );
  const isOver = await Promise.race([done, late]);
  clearTimeout(timer);
  return isOver;
}

const grpcHint = (place: string): string =>
  place.endsWith(':4317') ? '; spans are sent by OTLP over HTTP, whose port is 4318' : '';

/** Wraps the exporter to count spans that it could not send. */
function countingLost(exporter: SpanExporter, lost: { spans: number; why: string }): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) {
          lost.spans += spans.length;
          lost.why ||= withoutSecrets(errorText(result.error));
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

const lineExporter = (write: (line: string) => void): SpanExporter => ({
  export(spans, done) {
    for (const span of spans) write(`${JSON.stringify(lineOf(span))}\n`);
    done({ code: 0 });
  },
  shutdown: () => Promise.resolve(),
});

const msOf = ([seconds, nanos]: readonly [number, number]): number => seconds * 1000 + nanos / 1e6;

function lineOf(span: ReadableSpan): object {
  const { name, kind, status, attributes, events, startTime, duration, parentSpanContext } = span;
  const { traceId, spanId } = span.spanContext();
  return {
    type: 'span',
    name,
    kind: kind === SpanKind.CLIENT ? 'client' : 'internal',
    traceId,
    spanId,
    parentSpanId: parentSpanContext?.spanId ?? null,
    startTime: new Date(msOf(startTime)).toISOString(),
    durationMs: msOf(duration),
    failure: status.code === SpanStatusCode.ERROR ? (status.message ?? '') : null,
    attributes,
    events: events.map(({ name: what, time, attributes: about }) => ({
      name: what,
      time: new Date(msOf(time)).toISOString(),
      attributes: about,
    })),
  };
}

/** Returns the context of the program that started this one (https://www.w3.org/TR/trace-context/#traceparent-header). */
function parentOf(text = ''): Context {
  const [, traceId, spanId, flags] = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: parseInt(flags, 16) & 1, isRemote: true });
}
