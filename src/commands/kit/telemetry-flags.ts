// Flags of metrics and traces; src/cli/watch-run.ts opens what they ask for.
import { flag } from '../../cli/flag.js';
import { requires } from '../../cli/rule.js';

/** Metrics while it runs. */
export const metricsFlags = {
  prometheusAddr: flag.text({
    placeholder: 'HOST:PORT',
    describe: 'serve metrics for Prometheus at http://HOST:PORT/metrics while this runs; see docs/metrics.md',
  }),
};

/** Metrics and traces. */
export const telemetryFlags = {
  ...metricsFlags,
  tracing: flag.on({ describe: 'record spans of OpenTelemetry; see docs/metrics.md' }),
  tracingExporter: flag.choice(['stdout', 'jaeger', 'otlp', 'none'], {
    default: 'stdout',
    describe:
      'where spans go: stdout, as JSON lines, which go to stderr because stdout has the result; a Jaeger or a collector, both by OTLP over HTTP',
  }),
  tracingEndpoint: flag.text({
    placeholder: 'URL',
    describe: 'address for jaeger and otlp, such as http://localhost:4318; OTEL_EXPORTER_OTLP_ENDPOINT does the same',
  }),
  tracingSampleRate: flag.float([0, 1], { default: 1, describe: 'how many of the traces are recorded, 0 to 1' }),
};

export const telemetryRules = [
  requires('tracingExporter', 'tracing'),
  requires('tracingEndpoint', 'tracing'),
  requires('tracingSampleRate', 'tracing'),
] as const;
