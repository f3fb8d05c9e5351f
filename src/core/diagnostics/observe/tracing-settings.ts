// Combines --tracing, its flags and the variables of OpenTelemetry
// (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). Flags win. Headers, time limit, compression and
// certificates of OTEL_EXPORTER_OTLP_* are read by the exporter itself.
import { usageError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';

export type TracingExporter = 'stdout' | 'jaeger' | 'otlp' | 'none';

export interface TracingValues {
  /** Undefined when it was not given; the same for the other fields. */
  readonly exporter: TracingExporter | undefined;
  readonly sampleRate: number | undefined;
  readonly endpoint: string | undefined;
}

export interface TracingSettings {
  /** URL where spans are sent; undefined when they are written as lines. */
  readonly url: string | undefined;
  /** Share of traces that is recorded, 0 to 1. */
  readonly sampleRate: number;
}

type Env = Readonly<Record<string, string | undefined>>;

const TRACES_PATH = '/v1/traces';

/** Returns undefined when nothing is to be recorded. @throws usage for jaeger and otlp without an address, or with an invalid one */
export function tracingSettings(
  { exporter, endpoint, sampleRate }: TracingValues,
  env: Env,
): TracingSettings | undefined {
  const chosen = exporter ?? exporterOf(env['OTEL_TRACES_EXPORTER']);
  const isSent = chosen === 'jaeger' || chosen === 'otlp';
  if (endpoint !== undefined && !isSent)
    throw usageError(`--tracing-endpoint has nothing to send to it with --tracing-exporter ${chosen}`, SENT);
  const url = isSent ? urlOf(chosen, endpoint, env) : undefined;
  const rate = sampleRate ?? rateOf(env);
  const isOff = chosen === 'none' || rate === 0 || env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true';
  return isOff ? undefined : { url, sampleRate: rate };
}

const SENT = 'add --tracing-exporter otlp';

const exporterOf = (name = ''): TracingExporter =>
  name === 'otlp' || name === 'jaeger' || name === 'none' ? name : 'stdout';

function urlOf(exporter: string, endpoint: string | undefined, env: Env): string {
  const whole = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || undefined;
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'] || undefined;
  const given = endpoint ?? whole ?? base;
  if (given === undefined)
    throw usageError(
      `--tracing-exporter ${exporter} needs --tracing-endpoint`,
      'where spans are sent by OTLP over HTTP: --tracing-endpoint http://localhost:4318; OTEL_EXPORTER_OTLP_ENDPOINT does the same',
    );
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw usageError(
      `spans cannot be sent to ${printable(given)}: that is no http:// or https:// address`,
      'for example --tracing-endpoint http://localhost:4318',
    );
  // The variable for all signals is a base URL; an address without a path is taken for one as well.
  const isBase = endpoint === undefined ? whole === undefined : url.pathname === '/';
  if (isBase) url.pathname = url.pathname.replace(/\/$/, '') + TRACES_PATH;
  return url.href;
}

/** Returns the sample rate. A run has a parent only if TRACEPARENT names one, so samplers by parent are treated like their root. */
function rateOf(env: Env): number {
  const sampler = (env['OTEL_TRACES_SAMPLER'] ?? '').replace(/^parentbased_/, '');
  if (sampler === 'always_off') return 0;
  const text = env['OTEL_TRACES_SAMPLER_ARG'] ?? '';
  const rate = text.trim() === '' ? Number.NaN : Number(text);
  return sampler === 'traceidratio' && rate >= 0 && rate <= 1 ? rate : 1;
}
