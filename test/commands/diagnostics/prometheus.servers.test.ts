// Metrics before Debian's promtool, Python's parser of OpenMetrics, and scraped by a real Prometheus, which is asked what the dashboards ask.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { freePorts } from '../../servers/free-ports.js';
import { venv } from '../../servers/venv.js';
import { asSent, expressions } from '../../support/dashboard.js';
import { runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const tools = process.env['ARCHIVER_TEST_PROMETHEUS'];
const root = program();
let folder = '';
let scraper: ChildProcess | undefined;

beforeEach(async () => {
  folder = await tempFolder();
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data', 'a'), 'content');
});
afterEach(() => void scraper?.kill('SIGKILL'));

interface Scrape {
  readonly accept: string;
  readonly contentType: string;
}

/** Stands between a scraper and its target, and notes what was asked for and what was given. */
async function listening(target: string): Promise<{ at: string; scrapes: readonly Scrape[] }> {
  const scrapes: Scrape[] = [];
  const server = http.createServer(({ url = '', headers: { accept = '' } }, response) => {
    void fetch(`http://${target}${url}`, { headers: { accept } }).then(
      async (answer) => {
        const contentType = answer.headers.get('content-type') ?? '';
        scrapes.push({ accept, contentType });
        response.writeHead(answer.status, { 'content-type': contentType }).end(await answer.text());
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  return { at: `127.0.0.1:${(server.address() as AddressInfo).port}`, scrapes };
}

/** Since 2.49 it can be told to ask for nothing else; before, it wants OpenMetrics more than the text format. */
function protocols(): string {
  const { stdout, stderr } = spawnSync(join(tools ?? '', 'prometheus'), ['--version'], { encoding: 'utf8' });
  const [, major = '0', minor = '0'] = /version (\d+)\.(\d+)/.exec(stdout + stderr) ?? [];
  return Number(major) > 2 || Number(minor) >= 49 ? '    scrape_protocols: [OpenMetricsText1.0.0]\n' : '';
}

async function startPrometheus(target: string): Promise<string> {
  const config = join(folder, 'prometheus.yml');
  writeFileSync(
    config,
    `global: { scrape_interval: 1s }\nscrape_configs:\n  - job_name: archiver\n${protocols()}    static_configs: [{ targets: ['${target}'] }]\n`,
  );
  for (;;) {
    const address = `127.0.0.1:${await freePorts(1)}`;
    const flags = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`];
    const child = spawn(join(tools ?? '', 'prometheus'), [...flags, `--web.listen-address=${address}`], {
      stdio: 'ignore',
    });
    scraper = child;
    const isReady = async (): Promise<boolean> =>
      (await fetch(`http://${address}/-/ready`).catch(() => undefined))?.ok ?? false;
    // Somebody else may have taken the port meanwhile: then it ends.
    for (; child.exitCode === null; await sleep(100)) if (await isReady()) return `http://${address}`;
  }
}

/** Values of an instant query. @throws for one that it refuses */
async function query(prometheus: string, what: string): Promise<readonly string[]> {
  const answer = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(what)}`);
  const { data, error } = (await answer.json()) as {
    error?: string;
    data?: { result: readonly { value: readonly [number, string] }[] };
  };
  if (error !== undefined) throw new Error(`${what}: ${error}`);
  return (data?.result ?? []).map(({ value: [, text] }) => text);
}

/** An agent that serves metrics; ended with the test. */
async function servedAgent(): Promise<string> {
  const stop = new AbortController();
  let found: (url: string) => void;
  const served = new Promise<string>((resolve) => (found = resolve));
  const onStderr = (text: string): void => {
    const [, at] = /metrics at http:\/\/(\S+)\/metrics/.exec(text) ?? [];
    if (at !== undefined) found(at);
  };
  const argv = ['fleetagent', 'run', 'data', join(folder, 'store'), '--writer-id', 'nas-1'];
  const running = runCommand({ root, folder, signal: stop.signal, onStderr }, [
    ...argv,
    '--prometheus-addr',
    '127.0.0.1:0',
  ]);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  return await served;
}

const textOf = async (url: string, accept: string): Promise<string> =>
  await (await fetch(url, { headers: { accept } })).text();
const promtool = (args: readonly string[], input: string) => {
  const { status, stdout, stderr } = spawnSync(join(tools ?? '', 'promtool'), args, { input, encoding: 'utf8' });
  return { status, text: stdout + stderr };
};
/** Yaml takes a JSON string. */
const rulesFile = (exprs: readonly string[]): string =>
  `groups:\n- name: archiver\n  rules:\n${exprs.map((expr, at) => `  - { record: 'r:${at}', expr: ${JSON.stringify(expr)} }\n`).join('')}`;

describe.skipIf(tools === undefined)('metrics of an agent', () => {
  test('are clean for promtool, scraped by Prometheus as OpenMetrics, and answer the dashboards', async () => {
    const target = await servedAgent();
    const { at, scrapes } = await listening(target);
    const prometheus = await startPrometheus(at);

    await expect
      .poll(() => query(prometheus, 'archiver_runs_total{command="fleetagent run",status="done"}'), {
        timeout: 120_000,
      })
      .toEqual(['1']);
    expect(scrapes[0]?.accept).toContain('application/openmetrics-text');
    expect(new Set(scrapes.map(({ contentType }) => contentType))).toEqual(
      new Set(['application/openmetrics-text; version=1.0.0; charset=utf-8']),
    );
    expect(await query(prometheus, 'up{job="archiver"}')).toEqual(['1']);
    expect(await query(prometheus, 'sum(archiver_requests_total{kind="put",code="ok"}) > bool 2')).toEqual(['1']);
    expect(await query(prometheus, 'time() - archiver_run_last_success_timestamp_seconds < bool 3600')).toEqual(['1']);
    expect(await query(prometheus, 'archiver_build_info')).toEqual(['1']);
    const asked = expressions().map((expr) => asSent(expr, { interval: '10s' }));
    await expect.poll(() => query(prometheus, 'sum(rate(archiver_chunks_total[10s]))')).toHaveLength(1);
    const answers = await Promise.all(asked.map((expr) => query(prometheus, expr)));
    process.stderr.write(
      `Prometheus: ${asked.length} queries of dashboards accepted, ${answers.filter((one) => one.length > 0).length} with an answer for a lone agent\n`,
    );
    expect(answers[0]).toHaveLength(1);
    const text = await textOf(`http://${target}/metrics`, 'text/plain');
    expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, text: '' });
    process.stderr.write(`promtool check metrics: ${text.match(/^# TYPE /gm)?.length} families checked, 0 failing\n`);
  });

  test('in OpenMetrics are read by the official parser of Python, as many as in the text format', async ({ skip }) => {
    const made = await venv({ name: 'openmetrics', packages: ['prometheus-client==0.22.1'] });
    if (typeof made === 'string') {
      skip(made);
      return;
    }
    onTestFinished(made.remove);
    const target = await servedAgent();
    await expect.poll(() => textOf(`http://${target}/metrics`, '')).toContain('archiver_runs_total{');

    const text = await textOf(`http://${target}/metrics`, 'application/openmetrics-text; version=1.0.0');
    const plain = await textOf(`http://${target}/metrics`, 'text/plain');

    const script = [
      'import sys, json',
      'from prometheus_client.openmetrics.parser import text_string_to_metric_families as read',
      'families = list(read(sys.stdin.read()))',
      'print(json.dumps({f.name: [f.type, f.unit, sorted({s.name for s in f.samples})] for f in families}))',
    ].join('\n');
    const parsed = spawnSync(made.bin('python'), ['-c', script], { input: text, encoding: 'utf8' });
    expect(parsed.stderr).toBe('');
    const families = JSON.parse(parsed.stdout) as Readonly<Record<string, unknown>>;
    process.stderr.write(`prometheus_client's parser: ${Object.keys(families).length} families checked, 0 failing\n`);
    expect(Object.keys(families)).toHaveLength(plain.match(/^# TYPE /gm)?.length ?? 0);
    expect(families).toMatchObject({
      archiver_runs: ['counter', '', ['archiver_runs_total']],
      archiver_phase_seconds: ['counter', 'seconds', ['archiver_phase_seconds_total']],
      archiver_build: ['info', '', ['archiver_build_info']],
      archiver_run_bytes: ['gauge', 'bytes', ['archiver_run_bytes']],
      archiver_request_duration_seconds: [
        'histogram',
        'seconds',
        ['_bucket', '_count', '_sum'].map((part) => `archiver_request_duration_seconds${part}`),
      ],
    });
  });

  test('of the last run, in a file, are clean too, and plain', async () => {
    await runCommand({ root, folder }, ['upload', 'data', join(folder, 'store'), '--textfile', 'run.prom']);

    const text = readFileSync(join(folder, 'run.prom'), 'utf8');

    expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, text: '' });
    expect(text).not.toContain('# EOF');
  });
});

describe.skipIf(tools === undefined)('promtool takes', () => {
  test.each([
    ['queries of the dashboards', expressions().map((expr) => asSent(expr))],
    [
      'alerts of docs/metrics.md',
      Array.from(
        readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8').matchAll(/^ +expr: (.*)$/gm),
        ([, expr = '']) => expr,
      ),
    ],
  ])('the %s', (what, exprs) => {
    const file = join(folder, 'rules.yml');
    writeFileSync(file, rulesFile(exprs));

    const { status, text } = promtool(['check', 'rules', file], '');

    process.stderr.write(
      `promtool check rules: ${exprs.length} ${what} checked, ${status === 0 ? 0 : 'some'} failing\n`,
    );
    expect([status, text]).toEqual([0, expect.stringContaining(`${exprs.length} rules found`)]);
    expect(exprs.length).toBeGreaterThan(1);
  });
});
