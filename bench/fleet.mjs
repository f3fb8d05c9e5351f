// node bench/fleet.mjs: one look at a fleet (`archiver fleet status --json`) and one pass of the monitor: requests, seconds, memory.
//   --writers N  (default 10000);  --work FOLDER;  --folder: a file:// store alone
// Uses the server that AWS_ENDPOINT_URL names, or starts the Ceph gateway of test/servers. Run `npm run build` before.
import { execSync } from 'node:child_process';
import { cpus, tmpdir } from 'node:os';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { measure } from './measure.mjs';

const { values: options } = parseArgs({
  options: {
    writers: { type: 'string', default: '10000' },
    work: { type: 'string', default: join(tmpdir(), 'archiver-bench-fleet') },
    folder: { type: 'boolean', default: false },
  },
});
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const BUCKET = 'archiver-fleet';
const count = Number(options.writers);
const base = join(options.work, 'base');

/** Heartbeats of now, of which each hundredth is damaged, and configs that were put before their cycles began. */
function makeFleet() {
  rmSync(options.work, { recursive: true, force: true });
  const now = new Date().toISOString();
  const source = { path: '/srv/data', isHealthy: true, error: null, lastSuccessAt: now, noChanges: false };
  Object.assign(source, { uploadId: '20260304-050000-1a2b3c4d', datasetId: 'data-1a2b3c4d', version: 7 });
  Object.assign(source, { files: 1000, bytes: 1e9, storedBytes: 4e8, added: 1, modified: 2, deleted: 0, skipped: 0 });
  source.comparedWith = 'cache';
  const common = { formatVersion: 1, archiverVersion: '0.1.0', configVersion: 3, configError: null, checkedInAt: now };
  Object.assign(common, { phase: 'waiting', lastSuccessAt: now, intervalSeconds: 3600, problem: null });
  common.cycle = { startedAt: now, endedAt: now, isHealthy: true };
  common.sources = [source, { ...source, path: '/srv/logs' }];
  for (let at = 0; at < count; at++) {
    const writerId = `writer-${String(at).padStart(6, '0')}`;
    const heartbeat = { ...common, writerId, host: writerId, instanceId: `instance-${at}` };
    mkdirSync(join(base, 'writers', writerId), { recursive: true });
    mkdirSync(join(base, 'fleet', writerId), { recursive: true });
    const text = JSON.stringify(heartbeat, null, 2);
    const records = join(base, 'writers', writerId, 'datasets', 'data-1a2b3c4d');
    mkdirSync(records, { recursive: true });
    writeFileSync(join(records, 'v00000007.json'), '{}');
    writeFileSync(join(base, 'writers', writerId, 'status.json'), at % 100 === 99 ? text.slice(0, 200) : text);
    writeFileSync(join(base, 'fleet', writerId, 'config.yaml'), 'version: 3\n');
    writeFileSync(join(base, 'fleet', writerId, 'config.yaml.sig'), '{}\n');
  }
}

async function look(name, command, env) {
  const json = join(options.work, 'look.json');
  const { wall, cpu, peakBytes } = await measure(`(${command} > ${json} || test $? = 3)`, env);
  const { requests, writerCount } = JSON.parse(readFileSync(json, 'utf8'));
  const sent = requests === undefined ? '' : `, ${requests.list} LIST, ${requests.get} GET for ${writerCount} writers`;
  console.log(
    `${name}: ${wall.toFixed(1)} s, ${cpu.toFixed(1)} s of CPU, ${(peakBytes / 2 ** 20).toFixed(0)} MiB${sent}`,
  );
}

async function looks(name, url, env) {
  const all = { ...env, ARCHIVER_HOME: join(options.work, `home-${name}`) };
  const status = `node ${CLI} fleet status ${url} --quiet`;
  await look(`${name}, first look`, `${status} --json`, all);
  await look(`${name}, next look`, `${status} --json`, all);
  await look(
    `${name}, pass of the monitor with metrics`,
    `node ${CLI} fleet monitor ${url} --once --json --textfile ${join(options.work, 'fleet.prom')}`,
    all,
  );
}

let stop = async () => undefined;
makeFleet();
console.log(`${count} writers; ${cpus().length} cores, ${cpus()[0].model}, Node ${process.version}`);
try {
  await looks('folder', `file://${base}`, {});
  if (!options.folder) {
    let env = { AWS_ENDPOINT_URL: process.env.AWS_ENDPOINT_URL };
    if (env.AWS_ENDPOINT_URL === undefined) {
      const { startServers } = await import('../test/servers/start-servers.mjs');
      const servers = await startServers();
      env = { ...servers.env, AWS_ENDPOINT_URL: servers.env.ARCHIVER_TEST_RGW, AWS_REGION: 'us-east-1' };
      stop = servers.stop;
    }
    const copy = `aws s3 mb s3://${BUCKET}; aws s3 cp --quiet --recursive ${base} s3://${BUCKET}/base`;
    execSync(copy, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
    await looks('bucket', `s3://${BUCKET}/base`, env);
  }
} finally {
  await stop();
  rmSync(options.work, { recursive: true, force: true });
}
