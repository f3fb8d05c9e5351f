// npm run bench: archiver against restic, rclone and tar | zstd | aws on one S3 server, in one run, alternating.
//   --runs N        alternating runs (default 5); rclone runs once on the small files: an object a file takes minutes
//   --corpus NAME   small, large or both (default)
//   --peers a,b     which programs (default all four)
//   --work FOLDER   where corpora and restored files go (default: a folder in the temp folder)
// Uses the server that AWS_ENDPOINT_URL names, or starts the Ceph gateway of test/servers.
import { execSync, spawnSync } from 'node:child_process';
import { cpus, tmpdir } from 'node:os';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareTrees } from '../scripts/compare-trees.mjs';
import { makeCorpora } from './corpora.mjs';
import { measure, median } from './measure.mjs';
import { BUCKET, peers, removeCommand, sizeCommand } from './peers.mjs';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    corpus: { type: 'string', default: 'both' },
    peers: { type: 'string', default: Object.keys(peers).join(',') },
    work: { type: 'string', default: join(tmpdir(), 'archiver-bench') },
    out: { type: 'string' },
  },
});
const runs = Number(options.runs);
const chosen = options.peers.split(',');

for (const tool of ['restic', 'rclone', 'zstd']) {
  if (spawnSync('which', [tool]).status !== 0) execSync(`apt-get install -y -qq ${tool}`, { stdio: 'inherit' });
}
let env = {};
let stop = async () => undefined;
if (process.env.AWS_ENDPOINT_URL === undefined) {
  const { startServers } = await import('../test/servers/start-servers.mjs');
  const servers = await startServers();
  env = { ...servers.env, AWS_ENDPOINT_URL: servers.env.ARCHIVER_TEST_RGW, AWS_REGION: 'us-east-1' };
  stop = servers.stop;
}
const shell = (command) =>
  execSync(command, { env: { ...process.env, ...env }, encoding: 'utf8', shell: 'bash' }).trim();
const corpora = makeCorpora(options.work);
try {
  shell(`aws s3 mb s3://${BUCKET} 2>/dev/null || true`);
  const names = options.corpus === 'both' ? ['small', 'large'] : [options.corpus];
  const rows = [];
  for (const corpus of names) rows.push(...(await runCorpus(corpus, corpora[corpus])));
  const report = table(rows);
  console.log(report);
  if (options.out !== undefined) writeFileSync(options.out, report);
} finally {
  await stop();
}

async function runCorpus(corpus, folder) {
  const results = new Map(chosen.map((name) => [name, { up: [], down: [], stored: 0 }]));
  shell(`find ${folder} -type f -exec cat {} + >/dev/null`); // warm caches for everyone
  for (let round = 0; round < runs; round++) {
    for (const name of chosen) {
      if (name === 'rclone' && corpus === 'small' && round > 0) continue;
      await runOnce(name, corpus, folder, round, results.get(name));
    }
  }
  return [...results].map(([name, result]) => ({ corpus, name, ...result }));
}

async function runOnce(name, corpus, folder, round, result) {
  const peer = peers[name];
  const place = `${name}-${corpus}-${round}`;
  const output = join(options.work, 'restored');
  const all = { ...env, ...peer.env };
  if (peer.prepare !== undefined) await measure(peer.prepare(place), all);
  result.up.push(await measure(peer.upload(folder, place), all));
  result.stored = Number(shell(sizeCommand(place)));
  const upload = name === 'archiver' ? shell(`aws s3 ls s3://${BUCKET}/${place}/uploads/ | awk '{print $2}'`) : '';
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output);
  shell('sync');
  result.down.push(
    await measure(peer.restore(place, output, `s3://${BUCKET}/${place}/uploads/${upload.replace('/', '')}`), all),
  );
  if (name === 'archiver' && round === 0) {
    const { paths, differences } = compareTrees(folder, output);
    console.log(`${corpus}: ${paths} paths restored, ${differences.length} differences`);
    for (const difference of differences.slice(0, 5)) console.log(`  ${difference}`);
  }
  rmSync(output, { recursive: true, force: true });
  shell(removeCommand(place));
  const last = (list) => `${list.at(-1).wall.toFixed(2)} s`;
  console.log(`${corpus} round ${round + 1} ${name}: upload ${last(result.up)}, restore ${last(result.down)}`);
}

function table(rows) {
  const of = (list, key) => median(list.map((run) => run[key]));
  const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
  const peak = (list) => mib(Math.max(...list.map((run) => run.peakBytes)));
  const lines = rows.map(({ corpus, name, up, down, stored }) => {
    const cells = [
      corpus,
      name,
      up.length,
      of(up, 'wall').toFixed(2),
      of(up, 'cpu').toFixed(2),
      peak(up),
      mib(stored),
      of(down, 'wall').toFixed(2),
      of(down, 'cpu').toFixed(2),
      peak(down),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    `${cpus().length} cores, ${cpus()[0].model}, Node ${process.version}; medians of alternating runs, caches warm`,
    '',
    '| corpus | program | runs | upload s | upload CPU s | upload peak | stored | restore s | restore CPU s | restore peak |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}
