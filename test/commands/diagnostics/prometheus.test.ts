// Metrics as a scraper gets them while commands run. Nothing is timed: a server that a run waits for asks for the metrics
// before it answers.
import { mkdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { checkIn } from '../../support/fleet.js';
import { parseExposition, sumOf } from '../../support/parse-exposition.js';
import { type CommandHost, type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
const ADDRESS = ['--prometheus-addr', '127.0.0.1:0'];
const SERVED = /metrics at (http:\S+)\/metrics/;
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
  mkdirSync(join(folder, 'data'));
  for (let at = 0; at < 20; at++) writeFileSync(join(folder, 'data', `f${at}`), `content ${at}`.repeat(100));
});

interface Watching {
  readonly host: CommandHost;
  /** The address that the run has named. */
  readonly served: Promise<string>;
}

function watching(more: Partial<CommandHost> = {}): Watching {
  let text = '';
  let found: (url: string) => void;
  const served = new Promise<string>((resolve) => (found = resolve));
  const onStderr = (part: string): void => {
    text += part;
    const [, url] = SERVED.exec(text) ?? [];
    if (url !== undefined) found(url);
  };
  return { host: { root, folder, onStderr, ...more }, served };
}

const textOf = async (url: string): Promise<string> => await (await fetch(url)).text();

/** Pings of a run go to a server that looks at its metrics before it answers; gives what it saw by path. */
async function runWithLooks(argv: readonly string[]): Promise<{ ran: CommandRun; looks: Map<string, string> }> {
  const { host, served } = watching();
  const looks = new Map<string, string>();
  const server = http.createServer((request, response) => {
    request.resume();
    void served
      .then((url) => textOf(`${url}/metrics`))
      .then((text) => {
        looks.set(request.url ?? '', text);
        response.end('ok');
      });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const ran = await runCommand(host, [...argv, ...ADDRESS, '--ping-url', `http://127.0.0.1:${port}/job`]);
  return { ran, looks };
}

describe('--prometheus-addr', () => {
  test('an upload serves metrics from its beginning to its end, by the conventions', async () => {
    const { ran, looks } = await runWithLooks(['upload', 'data', join(folder, 'store'), '--json']);

    expect([ran.status, [...looks.keys()].toSorted()]).toEqual([0, ['/job', '/job/start']]);
    parseExposition(looks.get('/job/start') ?? '');
    const last = parseExposition(looks.get('/job') ?? '');
    const { bytes, storedBytes, chunks, requests } = json(ran.stdout) as Record<string, number> & {
      requests: Record<string, number>;
    };
    expect(sumOf(last, 'archiver_processed_bytes_total')).toBe(bytes);
    expect(sumOf(last, 'archiver_chunk_stored_bytes_total')).toBe(storedBytes);
    expect(sumOf(last, 'archiver_chunks_total')).toBe(chunks);
    expect(sumOf(last, 'archiver_chunk_duration_seconds', '_count')).toBe(chunks);
    expect(sumOf(last, 'archiver_requests_total', 'kind="put"', 'code="ok"')).toBe(requests['put']);
    expect(sumOf(last, 'archiver_requests_total', 'kind="list"')).toBe(requests['list']);
    expect(sumOf(last, 'archiver_operations_total', 'operation="upload",outcome="done"')).toBe(1);
    expect(sumOf(last, 'archiver_run_success')).toBe(1);
    expect(sumOf(last, 'archiver_run_files')).toBe(20);
    expect(sumOf(last, 'archiver_chunks_in_flight')).toBe(0);
    expect(last.has('process_cpu_seconds_total')).toBe(true);
  });

  test('ends with the run', async () => {
    const { host, served } = watching();

    await runCommand(host, ['upload', 'data', join(folder, 'store'), ...ADDRESS]);

    await expect(textOf(`${await served}/metrics`)).rejects.toThrow('fetch failed');
  });

  test('counts a failure by its kind', async () => {
    const { ran, looks } = await runWithLooks(['sync', 'none', join(folder, 'store')]);
    expect(ran.status).toBe(1);
    const gone = parseExposition([...looks.values()].at(-1) ?? '');
    expect(sumOf(gone, 'archiver_runs_total', 'status="failed"')).toBe(1);
    expect(sumOf(gone, 'archiver_operations_total')).toBe(0); // nothing was begun

    writeFileSync(join(folder, 'store'), 'no folder');
    const failed = await runWithLooks(['upload', 'data', join(folder, 'store', 'x')]);

    expect(failed.ran.status).toBe(1);
    const last = parseExposition([...failed.looks.values()].at(-1) ?? '');
    expect(sumOf(last, 'archiver_operations_total', 'outcome="failed"')).toBe(1);
    expect(sumOf(last, 'archiver_errors_total', 'operation="upload"')).toBe(1);
    expect(sumOf(last, 'archiver_runs_total', 'status="failed"')).toBe(1);
  });

  test('an agent tells of its cycles and of their last success', async () => {
    const stop = new AbortController();
    const { host, served } = watching({ signal: stop.signal });
    const argv = ['fleetagent', 'run', 'data', join(folder, 'fleet'), '--writer-id', 'nas-1', ...ADDRESS];
    const running = runCommand(host, argv);
    const url = await served;

    await expect.poll(() => textOf(`${url}/metrics`)).toContain('archiver_runs_total{');
    const families = parseExposition(await textOf(`${url}/metrics`));
    stop.abort();
    await running;

    expect(sumOf(families, 'archiver_runs_total', 'command="fleetagent run",status="done"')).toBe(1);
    expect(sumOf(families, 'archiver_run_last_success_timestamp_seconds')).toBeGreaterThan(1.7e9);
    expect(sumOf(families, 'archiver_operations_total', 'operation="sync"')).toBe(1);
  });

  test('a monitor tells what its textfile says, and how budgets are used', async () => {
    const at = '2026-11-01T10:00:00.000Z';
    await checkIn(join(folder, 'fleet'), 'nas-1', { checkedInAt: at });
    await runCommand({ root, folder }, ['budget', 'set', 'lab', '--volume', '1000']);
    const stop = new AbortController();
    const { host, served } = watching({ signal: stop.signal, now: () => new Date(at) });
    const running = runCommand(host, [
      'fleet',
      'monitor',
      join(folder, 'fleet'),
      '--textfile',
      'fleet.prom',
      ...ADDRESS,
    ]);
    const url = await served;

    await expect.poll(() => textOf(`${url}/metrics`)).toContain('archiver_budget_used_ratio{');
    const text = await textOf(`${url}/metrics`);
    stop.abort();
    await running;

    const families = parseExposition(text);
    expect(sumOf(families, 'archiver_fleet_writers', 'state="healthy"')).toBe(1);
    expect(sumOf(families, 'archiver_monitor_passes_total', 'result="seen"')).toBe(1);
    expect(sumOf(families, 'archiver_budget_used_ratio', 'limit="volume"', 'project="lab"')).toBe(0);
  });

  test('answers probes, and nothing else', async () => {
    const stop = new AbortController();
    const { host, served } = watching({ signal: stop.signal });
    const running = runCommand(host, ['fleet', 'monitor', folder, ...ADDRESS]);
    const url = await served;

    const answers = await Promise.all([
      fetch(`${url}/healthz`),
      fetch(`${url}/`),
      fetch(`${url}/metrics`, { method: 'POST' }),
      fetch(`${url}/metrics?name[]=x`),
    ]);
    const health = await answers[0].text();
    stop.abort();
    await running;

    expect(answers.map(({ status }) => status)).toEqual([200, 404, 405, 200]);
    expect(health).toBe('ok\n');
    expect(answers[3].headers.get('content-type')).toContain('version=0.0.4');
  });

  test.each([
    ['0.0.0.0:9090', 'asks for no password'],
    [':9090', 'asks for no password'],
    ['[::]:9090', 'asks for no password'],
    ['9090', '--prometheus-addr wants host:port'],
  ])('refuses %s', async (address, why) => {
    const { status, stderr } = await runCommand({ root, folder }, [
      'upload',
      'data',
      join(folder, 'store'),
      '--prometheus-addr',
      address,
    ]);

    expect(status).toBe(2);
    expect(stderr).toContain(why);
  });

  test('listens for others where that is said', async () => {
    const stop = new AbortController();
    const { host, served } = watching({ signal: stop.signal });
    const running = runCommand(host, [
      'fleet',
      'monitor',
      folder,
      '--prometheus-addr',
      ':0',
      '--allow-public-observability',
    ]);
    const url = await served;

    const { status } = await fetch(`http://127.0.0.1:${new URL(url).port}/healthz`);
    stop.abort();
    await running;

    expect(status).toBe(200);
    expect(new URL(url).hostname).toMatch(/^(?:0\.0\.0\.0|\[::\])$/);
  });

  test('refuses a port in use before anything begins', async () => {
    const server = http.createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;

    const { status, stderr } = await runCommand({ root, folder }, [
      'upload',
      'data',
      join(folder, 'store'),
      '--prometheus-addr',
      `127.0.0.1:${port}`,
    ]);

    expect(status).toBe(2);
    expect(stderr).toContain('in use');
  });
});
