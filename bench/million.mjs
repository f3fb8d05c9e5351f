// npm run bench:million: a tree of small files (default a million) through every everyday operation, on a folder store and
// on an S3 server: wall and CPU seconds and the peak memory of the whole process tree.
//   --files N     how many (default 1000000)
//   --work FOLDER where tree, stores and restored files go: about 15 KB a file (default: a folder in the temp folder)
//   --stores a,b  file, s3 (default both)
// Uses the server that AWS_ENDPOINT_URL names, or starts the Ceph gateway of test/servers.
import { execFileSync, execSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { measure } from './measure.mjs';

const { values: options } = parseArgs({
  options: {
    files: { type: 'string', default: '1000000' },
    work: { type: 'string', default: join(tmpdir(), 'archiver-million') },
    stores: { type: 'string', default: 'file,s3' },
    out: { type: 'string' },
  },
});
const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const BUCKET = 'archiver-million';
const FOLDER_FILES = 1000;
const files = Number(options.files);
const source = join(options.work, 'tree');

const pathOf = (n) => {
  const folder = Math.floor(n / FOLDER_FILES);
  return `group-${String(Math.floor(folder / 50)).padStart(3, '0')}/folder-${String(folder).padStart(5, '0')}/file-${n}.txt`;
};

function makeTree() {
  rmSync(options.work, { recursive: true, force: true });
  for (let n = 0; n < files; n++) {
    const path = join(source, pathOf(n));
    if (n % FOLDER_FILES === 0) mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(
      path,
      `file ${n} of ${files}\n${'some lines of text, as they are in many small files\n'.repeat(n % 20)}`,
    );
  }
}

/** Every hundredth file gets other content and a later time. */
function changeTree() {
  const later = new Date(Date.now() + 5000);
  for (let n = 0; n < files; n += 100) {
    const path = join(source, pathOf(n));
    writeFileSync(path, `file ${n}, changed\n`);
    utimesSync(path, later, later);
  }
}

/** Seconds until a command prints its first line. */
function firstLine(args, env) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, [CLI, ...args], { env: { ...process.env, ...env } });
    child.stdout.once('data', () => {
      resolve((performance.now() - started) / 1000);
      child.kill('SIGKILL');
    });
    child.on('error', reject);
  });
}

async function runStore(name, url, env) {
  const home = join(options.work, `home-${name}`);
  const all = { ...env, ARCHIVER_HOME: home };
  const json = join(options.work, 'result.json');
  const rows = [];
  const run = async (operation, args) => {
    const command = `node ${CLI} ${args} --json --quiet > ${json}`;
    // `measure` sends stdout away, so that the redirection needs a shell of its own.
    const figures = await measure(`bash -c '${command}'`, all);
    const result = JSON.parse(readFileSync(json, 'utf8'));
    const requests = Object.values(result.requests ?? {}).reduce((sum, count) => sum + count, 0);
    rows.push({ store: name, operation, ...figures, requests });
    const { wall, cpu, peakBytes } = figures;
    console.log(
      `${name} ${operation}: ${wall.toFixed(2)} s, CPU ${cpu.toFixed(2)} s, ${mib(peakBytes)}, ${requests} requests`,
    );
    return result;
  };
  const first = await run('upload (first sync)', `sync ${source} ${url}`);
  const again = await run('sync without changes', `sync ${source} ${url}`);
  if (again.noChanges !== true) throw new Error('the second sync found changes');
  changeTree();
  const changed = await run('sync of 1 % changed', `sync ${source} ${url}`);
  if (changed.modified !== Math.ceil(files / 100)) throw new Error(`${changed.modified} changes found`);
  const line = await firstLine(['list', changed.location], all);
  console.log(`${name} list: first line after ${line.toFixed(2)} s`);
  rows.push({ store: name, operation: 'list, first line', wall: line });
  rows.push({ store: name, operation: 'list', ...(await measure(`node ${CLI} list ${changed.location}`, all)) });
  const one = pathOf(Math.floor(files / 2) + 1);
  const single = join(options.work, 'single');
  await run('restore of one file', `restore ${changed.location} ${single} --file ${one}`);
  execFileSync('cmp', [join(single, one), join(source, one)]);
  const everything = join(options.work, 'restored');
  const restored = await run('restore of everything', `restore ${changed.location} ${everything} --all`);
  if (restored.files !== files || restored.failed.length > 0) throw new Error('not everything came back');
  execFileSync('diff', ['-rq', source, everything], { stdio: 'inherit' });
  rmSync(everything, { recursive: true });
  rmSync(single, { recursive: true });
  console.log(`${name}: ${first.files} files went up and came back identical`);
  return rows;
}

const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

function table(rows) {
  const lines = rows.map(({ store, operation, wall, cpu, peakBytes, requests }) =>
    [
      store,
      operation,
      wall.toFixed(2),
      cpu === undefined ? '' : cpu.toFixed(2),
      peakBytes === undefined ? '' : mib(peakBytes),
      requests ?? '',
    ].join(' | '),
  );
  return [
    `${files} files; ${cpus().length} cores, ${cpus()[0].model}, Node ${process.version}`,
    '',
    '| store | operation | wall s | CPU s | peak memory | requests |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines.map((line) => `| ${line} |`),
    '',
  ].join('\n');
}

const rows = [];
let stop = async () => undefined;
try {
  for (const name of options.stores.split(',')) {
    makeTree();
    if (name === 'file') {
      const store = join(options.work, 'store');
      rows.push(...(await runStore(name, `file://${store}`, {})));
      console.log(`the store holds ${readdirSync(join(store, 'uploads')).length} uploads`);
      rmSync(store, { recursive: true });
      continue;
    }
    let env = {};
    if (process.env.AWS_ENDPOINT_URL === undefined) {
      const { startServers } = await import('../test/servers/start-servers.mjs');
      const servers = await startServers();
      env = { ...servers.env, AWS_ENDPOINT_URL: servers.env.ARCHIVER_TEST_RGW, AWS_REGION: 'us-east-1' };
      stop = servers.stop;
    }
    execSync(`aws s3 mb s3://${BUCKET} || true`, { env: { ...process.env, ...env }, stdio: 'ignore' });
    rows.push(...(await runStore(name, `s3://${BUCKET}/run`, env)));
    execSync(`aws s3 rm --quiet --recursive s3://${BUCKET}/run`, { env: { ...process.env, ...env } });
  }
  const report = table(rows);
  console.log(report);
  if (options.out !== undefined) writeFileSync(options.out, report);
} finally {
  await stop();
  rmSync(options.work, { recursive: true, force: true });
}
