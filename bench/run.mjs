// npm run bench: archiver, restic, rustic, rclone, borg and tar | zstd | aws side by side, with what the machine takes at the least (peers.mjs),
// in everyday work (rows.mjs). Programs that are not on the PATH are left out and named. Run `npm run build` before; Linux, as it reads /proc.
//   --runs N         runs of each program, in turns (default 5)
//   --corpus a,b     small, large, start (what a command costs before it begins), million; default the first three
//   --million        million as well, which takes an hour; --files N: how many (default 1000000)
//   --small FOLDER, --large FOLDER   these instead of what this machine has; small needs folders in it
//   --peers a,b, --rows a,b          which programs and rows; what they need runs before them
//   --store s3|folder                the server that AWS_ENDPOINT_URL names or else a Ceph gateway that is started, or folders (default s3)
//   --work FOLDER    for corpora and results, which stay, and stores: 10 GB (default: in /dev/shm, or in the temp folder)
//   --resume         go on after what --work has results of
//   --write [--page FILE]            put the tables between the marks of docs/benchmarks.md
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { corpusOf } from './corpora.mjs';
import { measuredPart, withMeasured } from './page.mjs';
import { peers } from './peers.mjs';
import { openResults } from './results.mjs';
import { ROWS, rowsOf } from './rows.mjs';
import { openStore } from './store.mjs';
import { takeTurn } from './turn.mjs';

// What takes the least first: what a server does after others have written would be measured with it.
const CORPORA = ['start', 'small', 'large', 'million'];
const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    corpus: { type: 'string', default: 'small,large,start' },
    million: { type: 'boolean', default: false },
    files: { type: 'string', default: '1000000' },
    small: { type: 'string' },
    large: { type: 'string' },
    peers: { type: 'string', default: Object.keys(peers).join(',') },
    rows: { type: 'string', default: ROWS.map(({ id }) => id).join(',') },
    store: { type: 'string', default: 's3' },
    work: { type: 'string', default: join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'archiver-bench') },
    resume: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    page: { type: 'string', default: fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url)) },
  },
});

/** The words of an option, each of which has to be one of `known`. */
function chosen(name, known) {
  const words = options[name].split(',');
  const unknown = words.find((word) => !known.includes(word));
  if (unknown !== undefined) throw new Error(`--${name} has no ${unknown}: it is one or more of ${known.join(',')}`);
  return known.filter((word) => words.includes(word));
}

function wholeNumber(name) {
  const value = Number(options[name]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} ${options[name]} is not a number from 1 on`);
  return value;
}

/** The number of each version of what a program is made of, or undefined where it is not on the PATH. */
function versionOf({ asksVersion }) {
  try {
    const versions = asksVersion.split(' && ').map((command) => {
      const text = execFileSync('bash', ['-c', command], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      return [
        basename(command.split(' ').at(-2), '.js').replace('cli', 'archiver'),
        /\d+(\.\d+)+/.exec(text)?.[0],
      ].join(' ');
    });
    return versions.join(', ');
  } catch {
    return undefined;
  }
}

function describeMachine() {
  const gib = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores, ${cpus()[0].model.trim()}, ${gib} GiB, Node ${process.version}`;
}

const runs = wholeNumber('runs');
const files = wholeNumber('files');
const names = CORPORA.filter(
  (name) => chosen('corpus', CORPORA).includes(name) || (name === 'million' && options.million),
);
const rows = chosen(
  'rows',
  ROWS.map(({ id }) => id),
);
const [kind, ...others] = chosen('store', ['s3', 'folder']);
if (others.length > 0) throw new Error('--store is either s3 or folder');
const wanted = chosen('peers', Object.keys(peers)).map((name) => [name, versionOf(peers[name])]);
const versions = Object.fromEntries(wanted.filter(([, version]) => version !== undefined));
const missing = wanted.filter(([, version]) => version === undefined).map(([name]) => name);
if (missing.includes('archiver')) throw new Error('archiver does not start here: npm run build makes it');
// Before hours are spent.
if (options.write) withMeasured(readFileSync(options.page, 'utf8'), '');
const work = resolve(options.work);
mkdirSync(join(work, 'temp'), { recursive: true });
process.env.TMPDIR = join(work, 'temp');

const named = { small: options.small, large: options.large };
const corpora = Object.fromEntries(
  names.map((name) => [name, name === 'start' ? { said: '' } : corpusOf(name, work, { named, files })]),
);
const said = Object.fromEntries(names.map((name) => [name, corpora[name].said]));
const store = await openStore(kind, work);
try {
  const setup = {
    machine: describeMachine(),
    store: store.describe,
    hasServer: store.endpoint !== undefined,
    versions,
    missing,
    corpora: said,
  };
  const results = openResults(join(work, 'results.json'), setup, options.resume);
  for (const [signal, status] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
    process.once(signal, () => {
      results.close();
      void store.stop().finally(() => process.exit(status));
    });
  for (const corpus of names)
    for (let round = 0; round < runs; round++)
      for (const peer of Object.keys(versions)) {
        const turn = { corpus, round, peer };
        const { firstRoundOnly = [], never = [] } = peers[peer];
        if (results.isDone(turn) || never.includes(corpus) || (round > 0 && firstRoundOnly.includes(corpus))) continue;
        if (!rowsOf(corpus).some(({ id }) => rows.includes(id) && peers[peer][id] !== undefined)) continue;
        await takeTurn({ ...turn, source: corpora[corpus], rows, store, results });
        results.finish(turn);
      }
  const measured = measuredPart({ setup, runs, results });
  console.log(measured);
  if (options.write) writeFileSync(options.page, withMeasured(readFileSync(options.page, 'utf8'), measured));
  if (results.hasFailed()) process.exitCode = 1;
} finally {
  await store.stop();
  for (const part of ['places', 'temp', 'turn']) rmSync(join(work, part), { recursive: true, force: true });
}
