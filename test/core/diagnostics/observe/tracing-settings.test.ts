import { describe, expect, test } from 'vitest';
import { tracingSettings, type TracingValues } from '../../../../src/core/diagnostics/observe/tracing-settings.js';

const NOTHING: TracingValues = { exporter: undefined, endpoint: undefined, sampleRate: undefined };
const settings = (values: Partial<TracingValues>, env: Record<string, string> = {}) =>
  tracingSettings({ ...NOTHING, ...values }, env);

describe('what --tracing means', () => {
  test('by itself: a line for each span of each trace', () => {
    expect(settings({})).toEqual({ url: undefined, sampleRate: 1 });
  });

  test.each(['jaeger', 'otlp'] as const)('%s needs an address', (exporter) => {
    expect(() => settings({ exporter })).toThrow(`--tracing-exporter ${exporter} needs --tracing-endpoint`);
  });

  test.each([
    ['http://localhost:4318', 'http://localhost:4318/v1/traces'],
    ['http://localhost:4318/', 'http://localhost:4318/v1/traces'],
    ['https://otel.example/tenant/v1/traces', 'https://otel.example/tenant/v1/traces'],
  ])('the address %s means %s', (endpoint, url) => {
    expect(settings({ exporter: 'otlp', endpoint })?.url).toBe(url);
  });

  test.each(['localhost:4318', 'grpc://localhost:4317', 'nothing'])('%s is no address', (endpoint) => {
    expect(() => settings({ exporter: 'otlp', endpoint })).toThrow(`spans cannot be sent to ${endpoint}`);
  });

  test('an address without an exporter that sends is refused', () => {
    expect(() => settings({ endpoint: 'http://localhost:4318' })).toThrow('has nothing to send to it');
  });

  test('variables name addresses as OpenTelemetry has it, and the flag wins', () => {
    const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/otlp/' };
    const own = { ...base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:4318/in' };

    const urls = [
      settings({ exporter: 'otlp' }, base),
      settings({ exporter: 'otlp' }, own),
      settings({ exporter: 'otlp', endpoint: 'http://flag:1' }, own),
      settings({}, { ...base, OTEL_TRACES_EXPORTER: 'otlp' }),
    ].map((one) => one?.url);

    expect(urls).toEqual([
      'http://collector:4318/otlp/v1/traces',
      'http://traces:4318/in',
      'http://flag:1/v1/traces',
      'http://collector:4318/otlp/v1/traces',
    ]);
  });

  test.each([
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }, 0.25],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' }, 0.5],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 'half' }, 1],
    [{ OTEL_TRACES_SAMPLER: 'always_on' }, 1],
  ])('%o samples %d', (env, sampleRate) => {
    expect(settings({}, env)?.sampleRate).toBe(sampleRate);
  });

  test('a rate that was typed wins', () => {
    expect(settings({ sampleRate: 0.75 }, { OTEL_TRACES_SAMPLER: 'always_off' })?.sampleRate).toBe(0.75);
  });

  test('nothing is recorded where somebody says so', () => {
    const off = [
      settings({ exporter: 'none' }),
      settings({ sampleRate: 0 }),
      settings({}, { OTEL_SDK_DISABLED: 'TRUE' }),
      settings({}, { OTEL_TRACES_SAMPLER: 'parentbased_always_off' }),
      settings({}, { OTEL_TRACES_EXPORTER: 'none' }),
    ];

    expect(off).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });
});
