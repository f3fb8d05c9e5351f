// One program through the rows of a corpus, in a place of its own.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { compareTrees } from '../scripts/compare-trees.mjs';
import { measure } from './measure.mjs';
import { peers } from './peers.mjs';
import { rowsOf } from './rows.mjs';
import { bytesOf, linesIn, placeIn, removePlace } from './store.mjs';
import { untouchedFile } from './tree-changes.mjs';

/** Measures the `rows` that were asked for, and does those before them which write, as they need them. What fails is a result too. */
export async function takeTurn({ corpus, round, peer: name, source, rows, store, results }) {
  const peer = peers[name];
  const all = rowsOf(corpus);
  const last = all.findLastIndex(({ id }) => rows.includes(id));
  const wanted = all.slice(0, last + 1).filter(({ id, writes }) => rows.includes(id) || writes);
  const place = placeIn(store, `${corpus}-${name.replaceAll(' ', '-')}-${round}`, peer.isFolderOnly);
  // What a run that was ended has left.
  removePlace(store, place);
  const at = { ...prepare({ corpus, source, wanted, store }), place, version: 0 };
  if (name === 'archiver') at.said = join(store.work, 'turn', 'said.json');
  const say = (row, text) => console.log(`${corpus} round ${round + 1} ${name} ${row.title}: ${text}`);
  let broken;
  if (peer.init !== undefined && corpus !== 'start')
    await measure(peer.init(at), environment(store, peer, at)).catch((error) => (broken = error));
  for (const row of wanted) {
    row.change?.(at.tree);
    if (peer[row.id] === undefined) continue;
    try {
      if (broken !== undefined) throw broken;
      const figures = await takeRow(row, { name, at, round, store });
      say(row, `${figures.wall.toFixed(2)} s, CPU ${figures.cpu.toFixed(2)} s`);
      if (rows.includes(row.id)) results.add({ corpus, round, peer: name, row: row.id, ...figures });
    } catch (error) {
      // Without the version the others have nothing to work on.
      if (row.writes) broken = error;
      say(row, `failed: ${error.message}`);
      results.add({ corpus, round, peer: name, row: row.id, failed: error.message });
    }
  }
  removePlace(store, place);
  rmSync(join(store.work, 'turn'), { recursive: true, force: true });
}

/** Folders of a turn, and a tree of its own where rows change it. All of it has been read once. */
function prepare({ corpus, source, wanted, store }) {
  const turn = join(store.work, 'turn');
  const home = join(store.work, 'home');
  rmSync(turn, { recursive: true, force: true });
  for (const folder of [join(store.work, 'places'), turn, home]) mkdirSync(folder, { recursive: true });
  // What Node has compiled stays from round to round, as on a machine that archives each day.
  for (const name of readdirSync(home).filter((one) => one !== 'compiled-code'))
    rmSync(join(home, name), { recursive: true, force: true });
  const at = { tree: source.tree, out: join(turn, 'out'), home, printed: join(turn, 'printed') };
  if (corpus === 'start') return at;
  if (at.tree === undefined || wanted.some(({ change }) => change !== undefined)) {
    at.tree = join(turn, 'tree');
    source.fill(at.tree);
  }
  execFileSync('bash', ['-c', 'find "$0" -type f -exec cat {} + >/dev/null', at.tree]);
  if (wanted.some(({ id }) => id === 'one')) at.file = untouchedFile(at.tree);
  return at;
}

const environment = ({ env }, { env: own }, at) => ({ ...env, ...own?.(at) });

async function takeRow(row, { name, at, round, store }) {
  const peer = peers[name];
  if (row.writes) at.version += 1;
  rmSync(at.out, { recursive: true, force: true });
  mkdirSync(at.out);
  execFileSync('sync');
  const before = row.bytes === 'new' ? new Set(linesIn(store, at.place)) : new Set();
  const command = row.prints ? `{ ${peer[row.id](at)} ; } > ${at.printed}` : peer[row.id](at);
  const figures = await measure(command, environment(store, peer, at));
  if (!peer.isFloor) row.check?.(at);
  if (name === 'archiver' && row.id === 'restore' && round === 0) compare(at);
  rmSync(at.out, { recursive: true, force: true });
  if (row.bytes === undefined || peer.isFloor) return figures;
  return { ...figures, bytes: bytesOf(linesIn(store, at.place).filter((line) => !before.has(line))) };
}

function compare({ tree, out }) {
  const { paths, differences } = compareTrees(tree, out);
  console.log(`${paths} paths restored, ${differences.length} differences`);
  if (differences.length > 0) throw new Error(`what came back differs: ${differences.slice(0, 5).join('; ')}`);
}
