// Opens metrics over HTTP (--prometheus-addr) and traces (--tracing) for a run. Once open, they neither fail the run nor hold it up, and
// end with it. Loaded only where one of them is asked for.
import { type EventConsumer, tellAll } from '../../core/events/fan-out.js';
import type { RunObserver } from '../../core/events/observer.js';
import { type TracingExporter, tracingSettings } from '../../core/diagnostics/observe/tracing-settings.js';
import type { Context } from '../../cli/context.js';
import { laterLines } from '../../cli/later-lines.js';
import type { BegunCall, Watcher } from '../../cli/slots.js';

type WatchedCall = Pick<BegunCall<Context>, 'values' | 'context' | 'command' | 'version'>;

type Part = { readonly consumer: EventConsumer; readonly close: () => Promise<void> } & RunObserver;

/** Opens metrics and traces as the flags ask. @throws usage for what cannot be served or sent, `io` for what the system refuses */
export async function watchRun(call: WatchedCall): Promise<Watcher> {
  // Traces are refused before a port is taken; the rest of opening them cannot fail.
  const tracing = call.values['tracing'] === true ? tracingOf(call) : undefined;
  const served = await servedMetrics(call);
  const traced = tracing === undefined ? undefined : await tracedRun(tracing, call);
  const parts = [served, traced].filter((part) => part !== undefined);
  const observer: RunObserver = {
    onRequest: tellAll(parts.map(({ onRequest }) => onRequest)),
    ...(served?.metrics && { metrics: served.metrics }),
  };
  return {
    consumers: parts.map(({ consumer }) => consumer),
    observer,
    close: async () => void (await Promise.all(parts.map(({ close }) => close()))),
  };
}

async function servedMetrics({ values, context, version }: WatchedCall): Promise<Part | undefined> {
  const { prometheusAddr: address } = values;
  if (typeof address !== 'string') return undefined;
  const { RunMetrics } = await import('../../core/diagnostics/observe/run-metrics.js');
  const { serveMetrics } = await import('../../core/diagnostics/observe/metrics-server.js');
  const allowPublic = values['allowPublicObservability'] === true;
  const metrics = new RunMetrics(version);
  const { at, close } = await serveMetrics(metrics, { address, allowPublic });
  context.note(`metrics at http://${at}/metrics`);
  return { consumer: { name: 'metrics', take: metrics.take }, onRequest: () => metrics.onRequest, metrics, close };
}

function tracingOf({ values, context: { env, origins } }: WatchedCall): ReturnType<typeof tracingSettings> {
  const given = (key: string): unknown => ((origins[key] ?? 'default') === 'default' ? undefined : values[key]);
  const endpoint = given('tracingEndpoint');
  const sampleRate = given('tracingSampleRate');
  return tracingSettings(
    {
      // The declaration of the flag allows only these values.
      exporter: given('tracingExporter') as TracingExporter | undefined,
      endpoint: typeof endpoint === 'string' ? endpoint : undefined,
      sampleRate: typeof sampleRate === 'number' ? sampleRate : undefined,
    },
    env,
  );
}

async function tracedRun(
  settings: NonNullable<ReturnType<typeof tracingSettings>>,
  { context, command, version }: WatchedCall,
): Promise<Part> {
  const { openTracing } = await import('../../core/diagnostics/observe/tracing.js');
  const { OperationSpans } = await import('../../core/diagnostics/observe/spans.js');
  // Spans go to stderr, after the progress display, as stdout has only the result.
  const lines = laterLines(context.stderr, 'spans');
  const { sink, close } = openTracing(settings, { version, env: context.env, write: lines.write });
  const spans = new OperationSpans(sink, { 'archiver.command': command });
  return {
    consumer: { name: 'traces', take: spans.take },
    onRequest: spans.onRequest,
    async close() {
      const problem = await close();
      lines.end();
      if (problem !== undefined) context.warn(problem);
    },
  };
}
