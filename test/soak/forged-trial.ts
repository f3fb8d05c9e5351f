// Somebody has stolen a key that may only put: versions of nothing, dated as it likes, at the ordinals that come next.
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { digestedText } from '../../src/core/platform/json/digested-json.js';
import { datasetName } from './expectations.js';
import type { Rng } from './prng.js';
import type { SoakStore } from './soak-store.js';
import type { Listed } from './survey.js';
import { DATASET, DONE, type Trial } from './trial.js';

type Json = Record<string, unknown>;

const DAY_MS = 86_400_000;
const KEEP_RULES: readonly (readonly string[])[] = [
  [],
  ['--keep-within', '30d'],
  ['--keep-hourly', '24'],
  ['--keep-daily', '7'],
  ['--keep-weekly', '4'],
  ['--keep-monthly', '12'],
  ['--keep-yearly', '3'],
];

interface Forgery {
  readonly version: number;
  readonly createdAt: Date;
  readonly uploadId: string;
}

const recordKey = (version: number): string => `datasets/${DATASET}/v${String(version).padStart(8, '0')}.json`;
const manifestKey = (uploadId: string): string => `uploads/${uploadId}/manifest.json.gz`;

const emptied = (totals: unknown): Json => Object.fromEntries(Object.keys(totals as Json).map((name) => [name, 0]));

/** The files come last, one on a line (docs/format.md). */
const manifestText = ({ files: _none, ...head }: Json): string =>
  `${JSON.stringify(head).slice(0, -1)},\n"files":[\n]}\n`;

/** Puts a manifest that lists nothing, and its record. */
async function forge(store: SoakStore, template: Listed, { version, createdAt, uploadId }: Forgery): Promise<void> {
  const {
    previous: _previous,
    chain: _chain,
    view: _view,
    ...head
  } = JSON.parse(gunzipSync(await store.get(manifestKey(template.uploadId))).toString()) as Json;
  const moment = createdAt.toISOString();
  const nothing = { listing: 'full', totals: emptied(head['totals']), shards: [], chunks: [], files: [] };
  const manifest = gzipSync(manifestText({ ...head, uploadId, createdAt: moment, ...nothing }));
  const {
    digest: _digest,
    digestAlgorithm: _algorithm,
    ...record
  } = JSON.parse((await store.get(recordKey(template.version))).toString()) as Json;
  const forged = {
    ...record,
    version,
    uploadId,
    manifestKey: manifestKey(uploadId),
    manifestSha256: createHash('sha256').update(manifest).digest('hex'),
    createdAt: moment,
    listing: 'full',
    previous: version - 1,
    totals: nothing.totals,
  };
  await store.put(manifestKey(uploadId), manifest);
  await store.put(recordKey(version), Buffer.from(`${digestedText(forged)}\n`));
}

/** One or several, of long ago or of years to come. */
function draw(rng: Rng, newest: number): Forgery[] {
  const first = rng.chance(0.2) ? newest + rng.pick([1000, 5_000_000]) : newest + 1;
  const years = rng.pick([-20, -1, 0, 5]);
  return Array.from({ length: rng.int(1, 7) }, (_none, at) => {
    const createdAt = new Date(Date.now() + (years * 365 + at) * DAY_MS);
    const time = createdAt
      .toISOString()
      .replace(/[-:]|\.\d+Z/g, '')
      .replace('T', '-');
    return { version: first + at, createdAt, uploadId: `${time}-${rng.noise(4).toString('hex')}` };
  });
}

/** Whatever prune is asked to keep, the newest genuine version stays, and all of them where it refuses. */
export async function forged(trial: Trial, rng: Rng): Promise<void> {
  const { world, checker } = trial;
  for (let left = rng.int(1, 3); left > 0; left--) {
    await trial.sync();
    trial.change(rng.fork(`source ${left}`));
    await trial.age(rng.pick([1, 26, 26]));
  }
  await trial.check();
  const genuine = checker.listed.toSorted((a, b) => a.version - b.version);
  const newest = genuine.at(-1) as Listed;
  const forgeries = draw(rng, newest.version);
  const [oldest] = forgeries as [Forgery, ...Forgery[]];
  world.say(`${forgeries.length} forged from v${oldest.version} on, dated ${oldest.createdAt.toISOString()}`);
  const known = world.expectations.dataset(datasetName(newest));
  for (const one of forgeries) {
    await forge(world.store, newest, one);
    known.set(one.version, { uploadId: one.uploadId, mayGo: true, isListed: true, tree: new Map() });
  }
  await trial.check();
  if (rng.chance(0.3)) {
    await trial.sync();
    await trial.check();
  }
  const isInstant = rng.chance(0.5) ? ['--instant'] : [];
  const flags = [...rng.pick(KEEP_RULES), ...isInstant];
  // Mostly so few that the forged ones would take the place of all others.
  const keep = rng.int(1, rng.chance(0.75) ? forgeries.length : 9);
  const written = [...known].filter(([version]) => !forgeries.some((one) => one.version === version));
  for (let left = 2; left > 0; left--) {
    const { status } = await trial.prune(flags, [0, 4], 999, keep);
    // What the rules keep of the genuine ones is up to them, but it is never nothing.
    if (status === 0) for (const [, one] of written.slice(0, -1)) one.mayGo = true;
    await trial.age(26);
  }
  await trial.check();
  await trial.sync(DONE);
  await trial.check();
}
