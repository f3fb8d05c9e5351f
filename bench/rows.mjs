// What is measured, in the order in which a round does it, and what it has to come to.
// `change` alters the tree before; `writes`: it makes a version; `bytes`: what is counted, what is `stored` in all or what is `new` there;
// `prints`: what it prints is kept in a file for `check`, which throws where a program did not do what the row says.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changeOnePercent, renameFolder } from './tree-changes.mjs';

const MB = 1e6;
/** Of the programs that keep what they make in the same place: one that goes past a server has less to do. */
const FASTEST = 'the fastest peer';
/** At most so many times what another program takes. */
const times = (most, of, figure = 'wall') => ({ figure, of, most });
/** At most so many seconds or bytes. */
const atMost = (most, figure = 'wall') => ({ figure, most });

const countFiles = (folder) =>
  Number(execFileSync('bash', ['-c', 'find "$0" -type f -printf . | wc -c', folder], { encoding: 'utf8' }));

function allAreBack({ tree, out }) {
  const [there, back] = [countFiles(tree), countFiles(out)];
  if (there !== back) throw new Error(`${back} files of ${there} came back`);
}

function oneIsBack({ tree, file, out }) {
  const found = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  if (found.length !== 1) throw new Error(`${found.length} files came back instead of one`);
  const [entry] = found;
  const isSame = readFileSync(join(entry.parentPath, entry.name)).equals(readFileSync(join(tree, file)));
  if (!isSame) throw new Error('the file came back with other content');
}

function allAreListed({ tree, printed }) {
  const [there, listed] = [countFiles(tree), readFileSync(printed, 'latin1').split('\n').length - 1];
  if (listed < there) throw new Error(`${listed} lines list ${there} files`);
}

/** What archiver says in JSON; the other programs say nothing. */
const says = (isRight) => (at) => {
  if (at.said === undefined) return;
  const text = readFileSync(at.said, 'utf8');
  if (!isRight(JSON.parse(text))) throw new Error(`archiver said ${text}`);
};
const oneIsRetired = says(({ retired }) => retired.length === 1);
const hasChanges = says(({ noChanges, added, modified }) => noChanges === false && added + modified > 0);

export const ROWS = [
  {
    id: 'upload',
    title: 'upload',
    writes: true,
    bytes: 'stored',
    goals: {
      small: [times(1, 'tar')],
      large: [times(0.85, 'tar'), times(1.3, 'zstd alone', 'cpu')],
      million: [atMost(20), times(0.7, FASTEST)],
    },
  },
  {
    id: 'restore',
    title: 'restore of all',
    check: allAreBack,
    goals: {
      small: [times(0.9, FASTEST)],
      large: [times(0.9, FASTEST)],
      million: [atMost(15), times(0.7, FASTEST)],
    },
  },
  { id: 'check', title: 'check of all bytes', goals: { small: [times(0.8, FASTEST)] } },
  {
    id: 'changed',
    title: '1 % of the files changed',
    change: changeOnePercent,
    writes: true,
    check: hasChanges,
    bytes: 'new',
    goals: { small: [times(0.5, FASTEST)], million: [] },
  },
  {
    id: 'unchanged',
    title: 'nothing changed',
    writes: true,
    check: says(({ noChanges }) => noChanges === true),
    goals: { small: [times(0.35, FASTEST)], million: [atMost(5), times(0.7, FASTEST)] },
  },
  {
    id: 'renamed',
    title: 'a folder renamed, half of its files touched',
    change: renameFolder,
    writes: true,
    check: hasChanges,
    bytes: 'new',
    goals: { small: [times(1, 'restic'), atMost(MB, 'bytes')] },
  },
  {
    id: 'one',
    title: 'one file restored',
    check: oneIsBack,
    goals: { small: [times(0.5, FASTEST)], million: [atMost(0.5), times(0.7, FASTEST)] },
  },
  {
    id: 'list',
    title: 'list of all files',
    prints: true,
    check: allAreListed,
    goals: { small: [times(0.25, FASTEST)], million: [] },
  },
  { id: 'recheck', title: 'check of all bytes of four versions', goals: { small: [] } },
  { id: 'prune', title: 'the oldest version removed', check: oneIsRetired, goals: { small: [] } },
  { id: 'help', title: '`--help`, ten times', goals: { start: [times(1.3, 'node', 'cpu')] } },
  { id: 'version', title: '`--version`, ten times', goals: { start: [times(1.3, 'node', 'cpu')] } },
];

/** The rows of a corpus in order. */
export const rowsOf = (corpus) => ROWS.filter(({ goals }) => goals[corpus] !== undefined);

/** What of all that was measured a goal comes to: `value` (seconds, bytes or a ratio), undefined where something is missing. */
export function reached({ figure, of, most }, figures, isApart) {
  const own = figures.archiver?.[figure];
  if (of === undefined || own === undefined)
    return { value: own, isReached: own === undefined ? undefined : own <= most };
  const others = Object.entries(figures).filter(
    ([name]) => name !== 'archiver' && (of === FASTEST ? !isApart(name) : name === of),
  );
  const [best] = others.filter(([, one]) => one[figure] !== undefined).sort((a, b) => a[1][figure] - b[1][figure]);
  if (best === undefined) return { value: undefined, isReached: undefined };
  const value = own / best[1][figure];
  return { value, isReached: value <= most, against: best[0] };
}
