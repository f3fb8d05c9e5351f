// npm run model: checks the model of the commit protocol (docs/protocol) with spin, every scenario with all rules on, which
// must hold, and every mutation, that is a scenario with one rule left out, which must fail.
//   npm run model -- CORE RESUME/FINISH_EARLIER      only these: scenarios with their mutations, or single mutations
//   node scripts/model.mjs --folder DIR              the model in another folder
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Every scenario with the rules that can be left out of it. */
export const scenarios = {
  CORE: [
    'NO_GRACE',
    'NO_MARK_CHECK',
    'NO_FRESH_LIST',
    'REUSE',
    'RETIRE_HEAD',
    'LOSER_KEEPS_LISTING',
    'REFER_FOREIGN',
    'NO_CREATE_ONCE',
  ],
  SUSPEND: ['NO_SECOND_LOOK', 'NO_LOOK_BEFORE', 'DROP_NEEDED_MARK'],
  UNDELETE: ['NO_AGE_CHECK', 'NO_LOOK_AFTER'],
  UNDELETE_AGAIN: ['NO_AGE_CHECK', 'NO_IF_MATCH', 'SAME_RECORD'],
  RESTORE: ['FORGET_TOMBSTONE_AGE', 'NO_GRACE'],
  CHAINS: ['CHAIN_NOT_NEEDED', 'FORGET_OLD_DIGEST', 'NO_IF_MATCH'],
  BALANCE: ['BALANCE_DELETES', 'TRUST_CACHE', 'NO_IF_MATCH', 'NO_GRACE'],
  RESUME: ['KEEP_ID_AFTER_TRY', 'FINISH_EARLIER', 'REMOVE_EARLIER', 'SWEEP_BY_JOURNAL', 'BEATEN_REMOVES', 'NO_GRACE'],
  CLEANUP: ['CLEANUP_DELETES'],
  WRITE_ONLY: ['TRUST_CACHE', 'READ_MARK_BY_KEY', 'DELTA_ON_CACHE', 'TAKE_412_AS_OWN', 'REUSE'],
  REPAIR: ['REPAIR_IN_PLACE', 'REPAIR_STANDS_IN'],
  SLEEPER: ['NO_LOOK_AT_OWN', 'NO_LOOK_AT_OWN_AFTER', 'NO_FENCE', 'FENCE_OVER_ANY', 'FENCE_GOES'],
  JOURNAL: ['KEEP_ID'],
  FORK: ['CLEAN_UNFENCED', 'CLEAN_AT_ONCE'],
  DAMAGE: ['NO_VIEW_LOOK'],
  FORGED: ['TRUST_REPLACES'],
  JUDGED: ['CONTENT_FOR_NOTHING', 'WRITERS_CLOCK'],
  VANISHED: ['NO_MEMORY'],
  TAGS: ['NO_NOTICE_CHECK', 'NO_SECOND_LOOK_AT_TAGS', 'NO_RECORD_LOOK', 'RETIRE_LATE', 'TAKE_BACK_ALWAYS'],
  PLAIN: ['NO_ID_IN_KEY'],
  PLAIN_SWEEPS: [
    'NO_LIST_AFTER_MANIFEST',
    'LOOK_BEFORE_MANIFEST',
    'NO_LIST_AFTER_RECORD',
    'LOOK_BEFORE_RECORD',
    'KEEP_OWN_RECORD',
    'NO_LIST_OF_FOLDER',
    'FENCE_LAST',
    'SHARED_FENCE',
    'FENCE_GOES',
  ],
  PLAIN_PRUNES: ['NO_LIST_OF_RECORDS', 'TOMBSTONE_FIRST', 'COUNT_FENCED', 'FOLDERS_FIRST'],
  PLAIN_FORKS: ['NO_LIST_BEFORE_RECORD', 'NO_LIST_AFTER_RECORD', 'RETIRE_FORKS', 'NO_ID_IN_KEY'],
  PLAIN_TAGS: [],
  PARTS: [
    'KEEP_ID',
    'NO_LOOK_AT_OWN',
    'TAKE_OWN_FOR_RIVAL',
    'ATTEMPT_CLEANS',
    'COUNT_MISSING',
    'COMMIT_AGAIN',
    'FENCE_FOR_BEATEN',
  ],
  PARTS_ABANDONED: ['ABANDON_ALONE', 'NO_FENCE', 'NO_LOOK_AFTER', 'TRUST_RECORD'],
  PARTS_BASE: ['COUNT_UNSOUND', 'MARK_BY_CHOICE', 'LOOK_AT_ATTEMPTS', 'ADOPT_BLINDLY', 'SPARE_COMMITTED'],
  PARTS_CHANGES: ['BASE_UNSEEN', 'COMMIT_AGAIN'],
  PARTS_LATER: ['SEGMENTS_NOT_NEEDED'],
  PARTS_PLAIN: ['HEAD_AT_PLAN', 'LATER_MARKS_ITSELF', 'MARK_UNNAMED', 'TAKE_ALL'],
  PARTS_PLAIN_PRUNES: ['NO_FENCE', 'NO_LIST_OF_RECORDS', 'NO_LIST_AFTER_RECORD', 'COUNT_FENCED', 'FOLDERS_FIRST'],
};

const COMPILE = ['-O1', '-w', '-DSAFETY', '-DCOLLAPSE', '-DVECTORSZ=2048', '-DMEMLIM=2000', '-o', 'pan', 'pan.c'];
const DEPTH = 200_000;

/** @param {readonly string[]} filters @returns {{scenario: string, mutation?: string}[]} */
function chosenRuns(filters) {
  const all = Object.entries(scenarios).flatMap(([scenario, mutations]) => [
    { scenario },
    ...mutations.map((mutation) => ({ scenario, mutation })),
  ]);
  const wants = ({ scenario, mutation }) =>
    filters.length === 0 || filters.includes(scenario) || filters.includes(`${scenario}/${mutation}`);
  return all.filter(wants);
}

function step(command, args, cwd) {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 26 });
  if (result.error) throw result.error;
  return { status: result.status, output: `${result.stdout}${result.stderr}` };
}

/** One exhaustive search. @param {string} folder @param {{scenario: string, mutation?: string}} run */
function check(folder, { scenario, mutation }) {
  const work = mkdtempSync(join(tmpdir(), 'archiver-model-'));
  try {
    cpSync(folder, work, { recursive: true });
    const defines = [scenario, ...(mutation === undefined ? [] : [mutation])].map((name) => `-D${name}`);
    const translated = step('spin', ['-a', ...defines, 'commit.pml'], work);
    if (translated.status !== 0) return { verdict: 'failed', why: translated.output.trim() };
    const compiled = step('cc', COMPILE, work);
    if (compiled.status !== 0) return { verdict: 'failed', why: compiled.output.trim() };
    return judge(step(join(work, 'pan'), [`-m${DEPTH}`], work).output, mutation !== undefined);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string} output of the search @param {boolean} mustFail */
function judge(output, mustFail) {
  const figure = (pattern) => pattern.exec(output)?.[1];
  const figures = {
    states: Number(figure(/(\d+) states, stored/) ?? 0),
    depth: Number(figure(/depth reached (\d+)/) ?? 0),
    errors: figure(/errors: (\d+)/),
  };
  // A search that ended early (memory, depth) proves nothing, and a deadlock is no counterexample of a rule.
  const isWhole = !/max search depth too small|reached -DMEMLIM|out of memory|aborting/.test(output);
  const assertion = figure(/assertion violated (.*) \(at depth/);
  if (mustFail && assertion !== undefined) return { ...figures, verdict: 'fails as it must' };
  if (!mustFail && isWhole && figures.errors === '0') return { ...figures, verdict: 'errors 0' };
  const why = mustFail
    ? 'the rule can be left out and nothing breaks'
    : output.trim().split('\n').slice(0, 3).join('; ');
  return { ...figures, verdict: 'failed', why };
}

/** @returns {string | undefined} what is missing, as a sentence */
function missingTools() {
  const missing = [
    ['spin', '-V'],
    ['cc', '--version'],
  ].filter(([command, flag]) => spawnSync(command, [flag], { stdio: 'ignore' }).error !== undefined);
  if (missing.length === 0) return undefined;
  const names = missing.map(([command]) => command).join(' and ');
  return `${names} not found; install with: apt-get install spin gcc libc6-dev (Debian), brew install spin (macOS)`;
}

function main(args) {
  const missing = missingTools();
  if (missing !== undefined) {
    console.error(missing);
    return 1;
  }
  const at = args.indexOf('--folder');
  const folder = at === -1 ? fileURLToPath(new URL('../docs/protocol', import.meta.url)) : args[at + 1];
  const runs = chosenRuns(at === -1 ? args : args.filter((_, index) => index !== at && index !== at + 1));
  if (runs.length === 0) {
    console.error(`no such scenario or mutation; there are: ${Object.keys(scenarios).join(', ')}`);
    return 1;
  }
  const row = (cells) =>
    cells.map((cell, column) => (column < 1 ? cell.padEnd(34) : cell.padStart(column < 4 ? 10 : 0))).join('  ');
  console.log(row(['scenario / mutation', 'states', 'depth', 'seconds', 'result']));
  let failed = 0;
  for (const run of runs) {
    const began = performance.now();
    const { states = 0, depth = 0, verdict, why } = check(folder, run);
    if (verdict === 'failed') failed += 1;
    const name = run.mutation === undefined ? run.scenario : `${run.scenario} / ${run.mutation}`;
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(row([name, String(states), String(depth), seconds, why === undefined ? verdict : `FAILED: ${why}`]));
  }
  console.log(`${runs.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exitCode = main(process.argv.slice(2));
