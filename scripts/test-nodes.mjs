// npm run test:nodes: what `npm test` runs, on the newer versions of Node that people have. All of it takes about 20 minutes each,
// so a share of the files has its turn each day; ARCHIVER_TEST_ALL=1 runs all. A version comes from npm if it is not there.
import { execFileSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { runVitest, tellCounts } from './run-vitest.mjs';

const VERSIONS = ['22', '24'];
/** Of which each takes two to three minutes on two cores. */
const SHARES = 8;
const DAY_MS = 86_400_000;

const share = (Math.floor(Date.now() / DAY_MS) % SHARES) + 1;
const isAll = (process.env.ARCHIVER_TEST_ALL ?? '') !== '';
const total = { passed: 0, failed: 0, skipped: 0 };
for (const version of VERSIONS) {
  const node = nodeOf(version);
  if (node === undefined) continue;
  console.log(
    `\nNode ${version}: ${isAll ? 'all files' : `share ${share} of ${SHARES}; ARCHIVER_TEST_ALL=1 runs all`}`,
  );
  const env = { PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const counts = runVitest(isAll ? [] : [`--shard=${share}/${SHARES}`], { node, env });
  for (const name of Object.keys(total)) total[name] += counts[name];
}
tellCounts(total);

/** The path of a Node of this version. Undefined, and said, where it cannot be had. */
function nodeOf(version) {
  const args = ['exec', '--yes', `--package=node@${version}`, '--', 'node', '-p', 'process.execPath'];
  try {
    return execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  } catch (error) {
    console.log(`Node ${version}: not tested, because npm cannot get it: ${String(error.stderr).trim()}`);
    return undefined;
  }
}
