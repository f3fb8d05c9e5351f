// docs/metrics.md and the Grafana dashboards name metrics that there are, and the first all of them.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { metricsText } from '../../../../src/core/fleet/watch/textfile.js';
import { checksMetrics } from '../../../../src/core/diagnostics/checks-metrics.js';
import { RunMetrics } from '../../../../src/core/diagnostics/observe/run-metrics.js';
import { checkIn, putConfig } from '../../../support/fleet.js';
import { type Family, parseExposition } from '../../../support/parse-exposition.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { dashboards, expressions } from '../../../support/dashboard.js';
import { openStore } from '../../../../src/core/store/open-store.js';
import { watchFleet } from '../../../../src/core/fleet/watch/watch-fleet.js';

const DOCS = new URL('../../../../docs/', import.meta.url);
const AT = new Date('2026-11-01T10:00:00.000Z');

/** Every metric of archiver, after something of each was told. */
async function allMetrics(): Promise<ReadonlyMap<string, Family>> {
  const metrics = new RunMetrics('1.2.3', () => 0);
  const run = { command: 'sync', source: '/data', store: 's3://bucket' };
  metrics.runEnded(run, {
    status: 'done',
    exitStatus: 0,
    files: 1,
    bytes: 1,
    storedBytes: 1,
    durationMs: 1,
    endedAt: AT,
  });
  metrics.take({ type: 'start', operation: 'sync', source: '/data', target: 's3://bucket' });
  metrics.take({ type: 'phase', phase: 'scanning' });
  metrics.take({
    type: 'retry',
    request: 'put',
    service: 'store',
    attempt: 1,
    maxAttempts: 2,
    waitMs: 1,
    trouble: 'busy',
    reason: 'busy',
  });
  metrics.take({
    type: 'thaw',
    files: 1,
    bytes: 1,
    storageClasses: ['GLACIER'],
    tier: 'bulk',
    wait: undefined,
    costUsd: null,
    chunks: ['cold'],
    nextLookAtMs: 0,
    jobId: undefined,
  });
  for (const kind of ['put', 'get'] as const)
    metrics.onRequest({ kind, storageClass: 'STANDARD', bytes: 1, startedMs: 0, durationMs: 1 });
  metrics.budgets([{ project: 'lab', limit: 'cost', used: 0.5 }]);
  const folder = await tempFolder();
  await checkIn(folder, 'nas-1', { checkedInAt: AT.toISOString(), lastSuccessAt: AT.toISOString() });
  await putConfig(folder, 'nas-1', 3, AT.toISOString());
  const { store } = await openStore(`file://${folder}`, { env: {} });
  const options = { now: () => AT, home: folder, thresholdMs: 7_200_000, signal: new AbortController().signal };
  const fleet = await watchFleet(store, options);
  metrics.fleetSeen(true, metricsText(fleet, 's3://bucket'));
  const drill = { endedAt: AT, coverage: { days: 30, bytes: 1, ofBytes: 2, files: 1, ofFiles: 2 } };
  const dataset = { datasetId: 'data-1a2b3c4d', provenAt: AT, drill, hasFailedCheck: false };
  const checks = parseExposition(checksMetrics([dataset], 's3://bucket', AT));
  const phase = parseExposition(await metrics.text());
  metrics.take({ type: 'end', outcome: { status: 'failed', code: 'io', message: '', hint: undefined } });
  const all = [...phase, ...parseExposition(await metrics.text()), ...checks].filter(([name]) =>
    name.startsWith('archiver_'),
  );
  return new Map(all.map(([name, family]) => [name, family.samples.size > 0 ? family : (phase.get(name) ?? family)]));
}

const labelsOf = ({ samples }: Family): readonly string[] => {
  const [key = ''] = samples.keys();
  return [...key.matchAll(/[{,](\w+)="/g)].flatMap(([, label = '']) => (label === 'le' ? [] : [label]));
};

describe('docs/metrics.md', () => {
  test('has every metric, with its type, its labels and its meaning', async () => {
    const rows = Array.from(await allMetrics(), ([name, family]) => {
      const labels = labelsOf(family).map((label) => `\`${label}\``);
      return `| \`${name}\` | ${family.type} | ${labels.join(' ')} | ${family.help} |`;
    });

    const text = readFileSync(new URL('metrics.md', DOCS), 'utf8');
    expect(text.split('\n').filter((line) => line.startsWith('| `archiver_'))).toEqual(rows);
  });
});

describe('the Grafana dashboards', () => {
  test('ask for metrics and labels that there are', async () => {
    const known = await allMetrics();
    const asked = expressions();
    for (const expr of asked) {
      const names = [...expr.matchAll(/archiver_\w+/g)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, ''));
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
      const labels = new Set([...known].filter(([name]) => names.includes(name)).flatMap(([, one]) => labelsOf(one)));
      const used = [...expr.matchAll(/(?<=by \()[^)]*/g)].flatMap(([list]) => list.split(/, */));
      expect(used.filter((label) => label !== 'le' && label !== 'instance' && !labels.has(label))).toEqual([]);
    }
    expect(asked.length).toBeGreaterThan(10);
  });

  test('ask each metric by job and instance, and rates by the interval of what is drawn', () => {
    for (const expr of expressions()) {
      const selectors = [...expr.matchAll(/archiver_\w+(\S* \S*)/g)].map(([, selector = '']) => selector);
      for (const selector of selectors) expect(selector).toMatch(/^\{job=~"\$job", instance=~"\$instance"/);
      const ranges = [...expr.matchAll(/(\w+)\(archiver_\w+\{[^}]*\}(\[[^\]]*\])?/g)].filter(
        ([, name = '', range]) => range !== undefined || name === 'rate' || name === 'increase',
      );
      for (const [, , range] of ranges) expect(range).toBe('[$__rate_interval]');
    }
  });

  test('choose data source, job and instance, and say what each panel shows', () => {
    for (const { uid, schemaVersion, templating, panels } of dashboards()) {
      expect(uid).not.toBe('');
      expect(schemaVersion).toBeGreaterThanOrEqual(36);
      expect(templating.list.map(({ name, type }) => `${name} ${type}`)).toEqual([
        'datasource datasource',
        'job query',
        'instance query',
      ]);
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
      expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length);
      for (const { title, description = '', datasource, targets, fieldConfig } of panels) {
        expect([title, description.endsWith('.')]).toEqual([title, true]);
        expect([title, typeof fieldConfig.defaults.unit]).toEqual([title, 'string']);
        for (const one of [datasource, ...targets.map((target) => target.datasource)])
          expect(one).toEqual({ type: 'prometheus', uid: '${datasource}' });
        expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
      }
    }
  });

  test('offer jobs and instances by metrics that there are', async () => {
    const known = await allMetrics();
    for (const { query } of dashboards().flatMap(({ templating }) => templating.list.slice(1))) {
      const names = query.match(/archiver_\w+/g) ?? [];
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
    }
  });
});
