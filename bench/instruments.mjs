// What instruments cost: an upload of 2,000 files of 100 KB into a folder with each of them, in turns.
//   node bench/instruments.mjs [ROUNDS]      CPU seconds (user and system) of every run, and their medians
import { spawn, spawnSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const FILES = 2000;
const BYTES = 100_000;
const rounds = Number(process.argv[2] ?? 5);
const cli = resolve(import.meta.dirname, '../dist/cli.js');
const folder = mkdtempSync(join(tmpdir(), 'archiver-instruments-'));
const source = join(folder, 'source');

// Half random, half text: what a chunk of mixed content costs.
const content = Buffer.alloc(BYTES, 'measured values, one after the other; ');
for (let index = 0; index < FILES; index += 1) {
  const below = join(source, `d${index % 20}`);
  mkdirSync(below, { recursive: true });
  randomFillSync(content, 0, BYTES / 2);
  writeFileSync(join(below, `f${index}`), content);
}

const upload = ['upload', source];
const flags = ['--progress-format', 'none', '--quiet'];
const pprof = ['--pprof', '--pprof-addr', 'localhost:0'];
// A collector that takes everything, in a process of its own.
const collector = spawn(
  process.execPath,
  [
    '-e',
    "const s=require('http').createServer((q,r)=>q.resume().on('end',()=>r.end()));s.listen(0,'127.0.0.1',()=>console.log(s.address().port))",
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const port = await new Promise((resolve) => collector.stdout.once('data', (data) => resolve(String(data).trim())));
const traced = ['--tracing', '--tracing-exporter', 'otlp', '--tracing-endpoint', `http://127.0.0.1:${port}/v1/traces`];
/** By what is on: the words before the target, and what follows it. */
const calls = {
  nothing: [upload, flags],
  '--log-file': [upload, [...flags, '--log-file', join(folder, 'info.log')]],
  '--log-level debug': [upload, [...flags, '--log-file', join(folder, 'debug.log'), '--log-level', 'debug']],
  '--trace': [upload, [...flags, '--trace']],
  '--pprof, nobody asks': [upload, [...flags, ...pprof]],
  '--prometheus-addr, not scraped': [upload, [...flags, '--prometheus-addr', 'localhost:0']],
  '--tracing, OTLP': [upload, [...flags, ...traced]],
  '--tracing-sample-rate 0.1': [upload, [...flags, ...traced, '--tracing-sample-rate', '0.1']],
  '--self-profile': [upload, [...flags, '--self-profile']],
  'profile collect --cpu': [['profile', 'collect', '--cpu', '-o', join(folder, 'cpu'), '--', ...upload], flags],
  'profile collect --allocs': [
    ['profile', 'collect', '--allocs', '-o', join(folder, 'allocs'), '--', ...upload],
    flags,
  ],
  'profile collect --trace': [['profile', 'collect', '--trace', '-o', join(folder, 'trace'), '--', ...upload], flags],
};

/** CPU seconds of one run. */
function measure([words, rest]) {
  const store = join(folder, 'store');
  rmSync(store, { recursive: true, force: true });
  const argv = [process.execPath, cli, ...words, store, ...rest];
  const env = { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder, TIMEFORMAT: '%U %S' };
  const ran = spawnSync('bash', ['-c', '{ time "$@" >/dev/null 2>&1; } 2>&1', 'bash', ...argv], {
    env,
    encoding: 'utf8',
  });
  if (ran.status !== 0) throw new Error(`${argv.join(' ')} ended with status ${ran.status}`);
  const [user = 0, system = 0] = ran.stdout.trim().split(' ').map(Number);
  return user + system;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const seconds = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
measure(calls.nothing); // once for the caches
for (let round = 0; round < rounds; round += 1)
  for (const [name, call] of Object.entries(calls)) seconds[name].push(measure(call));
const off = median(seconds.nothing);
for (const [name, runs] of Object.entries(seconds)) {
  const cost = `${median(runs).toFixed(2)} s, ${((median(runs) / off - 1) * 100).toFixed(1)}%`;
  console.log(`${name.padEnd(32)} ${cost.padEnd(16)} ${runs.map((run) => run.toFixed(2)).join(' ')}`);
}
collector.kill();
rmSync(folder, { recursive: true, force: true });
