import { describe, expect, test } from 'vitest';
import { openMetricsText, prefersOpenMetrics } from '../../../../src/core/diagnostics/observe/openmetrics.js';
import { RunMetrics } from '../../../../src/core/diagnostics/observe/run-metrics.js';

describe('metrics in OpenMetrics', () => {
  test('counters lose _total of their name, facts are facts, bounds and help are written as it wants them, and the end is said', () => {
    const text = [
      '# HELP archiver_sent_bytes_total What "went" over the wire.',
      '# TYPE archiver_sent_bytes_total counter',
      'archiver_sent_bytes_total 5',
      '',
      '# HELP archiver_build_info The version.',
      '# TYPE archiver_build_info gauge',
      'archiver_build_info{version="1.2.3"} 1',
      '# HELP archiver_runs_total Runs.',
      '# TYPE archiver_runs_total counter',
      '# HELP archiver_budget_used_ratio Used.',
      '# TYPE archiver_budget_used_ratio gauge',
      'archiver_budget_used_ratio{limit="le=\\"5\\""} 0.5',
      '# HELP archiver_request_duration_seconds Time.',
      '# TYPE archiver_request_duration_seconds histogram',
      'archiver_request_duration_seconds_bucket{le="0.3",kind="put"} 1',
      'archiver_request_duration_seconds_bucket{le="10",kind="put"} 1',
      'archiver_request_duration_seconds_bucket{kind="get",le="300"} 0',
      'archiver_request_duration_seconds_bucket{le="+Inf",kind="put"} 1',
      'archiver_request_duration_seconds_count{kind="put"} 1',
      '',
    ].join('\n');

    expect(openMetricsText(text).split('\n')).toEqual([
      '# HELP archiver_sent_bytes What \\"went\\" over the wire.',
      '# TYPE archiver_sent_bytes counter',
      '# UNIT archiver_sent_bytes bytes',
      'archiver_sent_bytes_total 5',
      '# HELP archiver_build The version.',
      '# TYPE archiver_build info',
      'archiver_build_info{version="1.2.3"} 1',
      '# HELP archiver_runs Runs.',
      '# TYPE archiver_runs counter',
      '# HELP archiver_budget_used_ratio Used.',
      '# TYPE archiver_budget_used_ratio gauge',
      '# UNIT archiver_budget_used_ratio ratio',
      'archiver_budget_used_ratio{limit="le=\\"5\\""} 0.5',
      '# HELP archiver_request_duration_seconds Time.',
      '# TYPE archiver_request_duration_seconds histogram',
      '# UNIT archiver_request_duration_seconds seconds',
      'archiver_request_duration_seconds_bucket{le="0.3",kind="put"} 1',
      'archiver_request_duration_seconds_bucket{le="10.0",kind="put"} 1',
      'archiver_request_duration_seconds_bucket{kind="get",le="300.0"} 0',
      'archiver_request_duration_seconds_bucket{le="+Inf",kind="put"} 1',
      'archiver_request_duration_seconds_count{kind="put"} 1',
      '# EOF',
      '',
    ]);
  });

  test('of a run have a sample for each of the text format, under the same name', async () => {
    const metrics = new RunMetrics('1.2.3', () => 0);
    metrics.onRequest({ kind: 'put', storageClass: 'STANDARD', bytes: 1, startedMs: 0, durationMs: 1 });
    const text = await metrics.text();

    const names = (from: string): readonly string[] => from.match(/^\w+(?=[ {])/gm) ?? [];
    expect(names(openMetricsText(text))).toEqual(names(text));
  });
});

const OF_PROMETHEUS_2 =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
const OF_PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1';

describe('OpenMetrics is given', () => {
  test.each([
    OF_PROMETHEUS_2,
    OF_PROMETHEUS_3,
    'application/openmetrics-text',
    'Application/OpenMetrics-Text; Version="1.0.0"; charset=utf-8',
    'text/plain;q=0.9, application/openmetrics-text',
    'text/plain, application/openmetrics-text',
    'text/plain;q=0, */*;q=0.1',
    'application/*, text/plain;q=0.5',
  ])('to %j', (accept) => expect(prefersOpenMetrics(accept)).toBe(true));

  test.each([
    undefined,
    '',
    '*/*',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    'text/plain, application/openmetrics-text;q=0.9',
    'text/plain;version=0.0.4, application/openmetrics-text',
    'application/openmetrics-text;version=0.0.1',
    'application/openmetrics-text;version=2.0.0, text/plain;q=0.1',
    'application/openmetrics-text;q=0',
    'application/openmetrics-text;q=high',
    'application/openmetrics-text;q=0.5, */*;q=0.8',
    'application/json',
    'x="a, application/openmetrics-text"',
  ])('not to %j', (accept) => expect(prefersOpenMetrics(accept)).toBe(false));
});
