// What a key costs in the browser over a million files, from the bytes that are typed to those of the frame, in CPU time.
// Bundled and run by browse.mjs. Prints one JSON line: {"what":"cursor","screen":"120x40","cpuMs":…,"worstMs":…}
import { Writable } from 'node:stream';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { Listing } from '../src/core/restore/listing/listing.js';
import type { Entry, ManifestHead } from '../src/core/format/manifest/manifest-types.js';
import { openTable, TableBuilder } from '../src/core/restore/plan/selected-table.js';
import { BrowseScreen } from '../src/screens/browse/browse-screen.js';
import { createBrowseStore } from '../src/stores/browse/browse-store.js';
import { openCanvas } from '../src/ui/canvas.js';
import { draw } from '../src/ui/draw.js';
import { createKeySource } from '../src/ui/keys.js';

const [what = 'cursor', columns = '120', rows = '40', files = '1000000'] = process.argv.slice(2);
const KEYS = 60;
const chunk = { key: 'chunk', shard: 0, size: 1, rawSize: 1, entries: 0, level: 3, sha256: '', tocSize: 0, frames: [] };
const chunks = ['STANDARD', 'DEEP_ARCHIVE'].map((storageClass, number) => ({ ...chunk, chunk: number, storageClass }));

function listing(): Listing {
  const builder = new TableBuilder();
  const time = { seconds: 1_760_000_000, nanos: 0 };
  const owner = { uid: 0, gid: 0, ctime: time, inode: '', mode: 0o644 };
  for (let at = 0; at < Number(files); at++) {
    const folder = `data/set-${String(Math.floor(at / 10_000)).padStart(3, '0')}/part-${String(Math.floor(at / 100) % 100).padStart(2, '0')}`;
    const path = `${folder}/trace-${String(at).padStart(7, '0')}.csv`;
    const mtime = { seconds: time.seconds + ((at * 7919) % 1_000_003), nanos: 0 };
    const entry: Entry = {
      ...owner,
      path,
      type: 'file',
      size: (at * 104_729) % 50_000_017,
      mtime,
      chunk: at % 97 === 0 ? 1 : 0,
      offset: 0,
    };
    builder.add(entry);
  }
  const data = builder.data();
  const none = { values: [], column: new Uint32Array(0) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the browser asks a head for its chunks alone
  const head = { chunks, datasetId: 'bench' } as unknown as ManifestHead;
  return new Listing({
    head,
    table: openTable(data),
    extras: new Map(),
    paths: Buffer.from(data.paths),
    stages: none,
    commits: none,
    refused: [],
  });
}

let frames = 0;
const output = new Writable({
  write(piece: Buffer, _encoding, done) {
    if (piece.length > 200) frames++;
    done();
  },
});
const stdout = Object.assign(output, { isTTY: true, columns: Number(columns), rows: Number(rows) });
const store = createBrowseStore({
  opened: { listing: listing(), baseUrl: 's3://bench/base', uploadId: '20251114-093012-1a2b3c4d', version: undefined },
  settings: {
    outputDir: './out',
    wait: false,
    maxCostUsd: undefined,
    cost: { region: 'us-east-1', isAws: true, isFolder: false, days: 7 },
  },
  tier: 'standard',
  signal: new AbortController().signal,
  ports: {
    preview: () => Promise.resolve({ kind: 'none', reason: 'bench' }),
    history: () => Promise.resolve({ kind: 'none', reason: 'bench' }),
    step: () => Promise.reject(new Error('bench')),
    restore: () => Promise.reject(new Error('bench')),
    now: () => performance.now(),
    clock: () => new Date(),
  },
});
const canvas = openCanvas(stdout, 'full-screen');
const keys = createKeySource();
draw(<BrowseScreen store={store} />, {
  canvas,
  keys,
  look: { unicode: true, color: true },
  onError: (error) => {
    throw error;
  },
});

/** Sends bytes and waits for the frame that follows, and until no search is under way. */
async function frameAfter(bytes: string): Promise<void> {
  const before = frames;
  keys.write(bytes);
  for (let tries = 0; (frames === before || store.getState().isSearching) && tries < 400; tries++)
    await (tries < 20 ? turn() : sleep(1));
}

const cpuMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

const DOWN = '\u001b[B';
const PAGE_DOWN = '\u001b[6~';
const SETUP: Readonly<Record<string, string>> = { tree: 't', search: '/', mark: 't\u001b[H', sort: '' };
const word = ['t', 'r', 'a', 'c', 'e', '-', '0', '5', ...Array.from({ length: 8 }, () => '\u007f')];
const next = (at: number): string =>
  ({ cursor: DOWN, scroll: PAGE_DOWN, tree: DOWN, search: word[at % word.length], mark: ' ', sort: 's' })[what] ?? DOWN;

await sleep(100);
for (const key of SETUP[what] ?? '') await frameAfter(key);
for (let at = 0; at < 16; at++) await frameAfter(next(at));
const all = process.cpuUsage();
let worst = 0;
for (let at = 0; at < KEYS; at++) {
  const one = process.cpuUsage();
  await frameAfter(next(at));
  worst = Math.max(worst, cpuMs(one));
}
const screen = `${columns}x${rows}`;
process.stdout.write(
  `${JSON.stringify({ what, screen, files: Number(files), cpuMs: Number((cpuMs(all) / KEYS).toFixed(1)), worstMs: Number(worst.toFixed(1)) })}\n`,
);
process.exit(0);
