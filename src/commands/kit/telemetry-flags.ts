// Flags of metrics and traces; commands/diagnostics/watch-run.ts opens what they ask for.
import { flag, ofFeature } from '../../cli/flag.js';
import { requires } from '../../cli/rule.js';

/** Metrics during the run. */
export const metricsFlags = ofFeature('diagnostics', {
  prometheusAddr: flag.text({
    placeholder: 'HOST:PORT',
    describe: 'serve metrics to Prometheus while it runs',
  }),
});

/** Metrics and traces. */
export const telemetryFlags = ofFeature('diagnostics', {
  ...metricsFlags,
  tracing: flag.on({ describe: 'record spans (OpenTelemetry): docs/metrics.md' }),
  tracingExporter: flag.choice(['stdout', 'jaeger', 'otlp', 'none'], {
    placeholder: 'NAME',
    default: 'stdout',
    describe: 'where they go; stdout: to stderr, as JSON',
  }),
  tracingEndpoint: flag.text({ placeholder: 'URL', describe: 'address for jaeger and otlp (OTLP over HTTP)' }),
  tracingSampleRate: flag.float([0, 1], { placeholder: 'N', default: 1, describe: 'part of the traces, 0 to 1' }),
});

export const telemetryRules = [
  requires('tracingExporter', 'tracing'),
  requires('tracingEndpoint', 'tracing'),
  requires('tracingSampleRate', 'tracing'),
] as const;
