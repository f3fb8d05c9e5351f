// npm run bench:unchanged: what it costs to find that nothing changed: `archiver sync` against `restic backup` of the same
// unchanged tree (the small corpus), alternating, with a warm cache and, for archiver, with an empty one.
//   --runs N  alternating runs (default 5);  --work FOLDER  as in run.mjs
// Uses the server that AWS_ENDPOINT_URL names, or starts the Ceph gateway of test/servers.
import { execSync } from 'node:child_process';
import { cpus, tmpdir } from 'node:os';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { makeCorpora } from './corpora.mjs';
import { measure, median } from './measure.mjs';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    work: { type: 'string', default: join(tmpdir(), 'archiver-bench') },
  },
});
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const BUCKET = 'archiver-unchanged';
let env = {};
let stop = async () => undefined;
if (process.env.AWS_ENDPOINT_URL === undefined) {
  const { startServers } = await import('../test/servers/start-servers.mjs');
  const servers = await startServers();
  env = { ...servers.env, AWS_ENDPOINT_URL: servers.env.ARCHIVER_TEST_RGW, AWS_REGION: 'us-east-1' };
  stop = servers.stop;
}
const home = join(options.work, 'home');
const json = join(options.work, 'unchanged.json');
const all = { ...env, RESTIC_PASSWORD: 'bench', ARCHIVER_HOME: home };
const { small } = makeCorpora(options.work);
const sync = `bash -c 'node ${CLI} sync ${small} s3://${BUCKET}/a --json --quiet > ${json}'`;
const backup = `restic -q -r s3:$AWS_ENDPOINT_URL/${BUCKET}/r backup ${small}`;
try {
  execSync(`aws s3 mb s3://${BUCKET} || true`, { env: { ...process.env, ...all }, stdio: 'ignore' });
  await measure(sync, all);
  await measure(`restic -q -r s3:$AWS_ENDPOINT_URL/${BUCKET}/r init`, all);
  await measure(backup, all);
  const runs = { warm: [], empty: [], restic: [] };
  const requests = {};
  const syncOnce = async (name) => {
    runs[name].push(await measure(sync, all));
    const result = JSON.parse(readFileSync(json, 'utf8'));
    if (result.noChanges !== true) throw new Error('the tree is unchanged, and sync found changes');
    requests[name] = Object.values(result.requests).reduce((sum, count) => sum + count, 0);
  };
  for (let round = 0; round < Number(options.runs); round++) {
    await syncOnce('warm');
    runs.restic.push(await measure(backup, all));
    rmSync(home, { recursive: true, force: true });
    await syncOnce('empty');
  }
  console.log(
    `${cpus().length} cores, ${cpus()[0].model}, Node ${process.version}; medians of ${options.runs} alternating runs`,
  );
  for (const [name, list] of Object.entries(runs)) {
    const of = (key) => median(list.map((run) => run[key])).toFixed(2);
    const peak = (Math.max(...list.map((run) => run.peakBytes)) / 2 ** 20).toFixed(0);
    const asked = requests[name] === undefined ? '' : `, ${requests[name]} requests`;
    console.log(`${name}: ${of('wall')} s, CPU ${of('cpu')} s, ${peak} MiB${asked}`);
  }
} finally {
  execSync(`aws s3 rm --quiet --recursive s3://${BUCKET}/`, { env: { ...process.env, ...all } });
  await stop();
}
