// What is killed, and how it goes on.
import { expect, expectSame, type Scenario } from '../scenario.js';
import { MASS_DELETE } from '../../soak/commands.js';
import type { Place } from '../place.js';

const LARGE_BYTES = 6_000_000;
const SLOW = ['--limit-upload', '3MiB/s'];
const KILLS = 3;

export const chunkedUpload = (place: Place, name: string): readonly string[] => {
  const { source } = place.machine(name);
  const where = ['create', 'upload', source.root, '-b', place.url];
  return [...where, '--chunk-size-mb', '1', '--shards', '4', '--quiet'];
};

/** A machine's upload is killed when a part of it has been sent. */
export async function killedUpload(place: Place, name: string): Promise<void> {
  const { source } = place.machine(name);
  source.add('large.bin', place.noise(LARGE_BYTES));
  const before = await chunksIn(place);
  const isSo = async (): Promise<boolean> => (await chunksIn(place)) > before;
  const until = { signal: 'SIGKILL', isSo } as const;
  const ran = await place.run([...chunkedUpload(place, name), ...SLOW], { on: place.machine(name), until });
  expect(ran.isKilled, `it ended with ${ran.status} before it was killed: ${ran.stderr}`);
}

const chunksIn = async (place: Place): Promise<number> =>
  (await place.store.list()).filter(({ key }) => key.includes('/chunk-')).length;

const resume: Scenario = {
  name: 'kill and resume',
  run: async (world) => {
    const place = await world.place();
    await killedUpload(place, 'alpha');
    const sent = (await place.store.list()).reduce((sum, { size }) => sum + size, 0);
    const saved = await place.json(['resume', 'list']);
    expectSame((saved['uploads'] as readonly unknown[]).length, 1, 'uploads that can be resumed');
    const document = await place.json(['resume', '--quiet']);
    const stored = (await place.store.list()).reduce((sum, { size }) => sum + size, 0);
    expect(sent > 0 && stored < 2 * LARGE_BYTES, `it sent everything again: ${sent} bytes, then ${stored}`);
    await place.expectVersion('latest', place.machine().source.now, String(document['datasetId']));
  },
};

const random: Scenario = {
  name: 'kills at random',
  run: async (world) => {
    const place = await world.place();
    await place.sync();
    let kills = 0;
    for (let round = 0; round < KILLS; round++) {
      place.change();
      const fault = { kind: 'signal', signal: 'SIGKILL', afterMs: place.rng.int(150, 700) } as const;
      if ((await place.run(place.syncArgs(), { fault })).isKilled) kills++;
    }
    await place.sync();
    await place.expectVersion('latest', place.machine().source.now);
    const verified = await place.json(['verify', place.url]);
    expectSame(verified['damagedVersionCount'], 0, `damaged versions after ${kills} kills`);
  },
};

const term: Scenario = {
  name: 'stopped by SIGTERM, and synced',
  run: async (world) => {
    const place = await world.place();
    const { source } = place.machine();
    source.add('large.bin', place.noise(LARGE_BYTES));
    const until = { signal: 'SIGTERM', isSo: async () => (await chunksIn(place)) > 0 } as const;
    const stopped = await place.run(['sync', source.root, place.url, '--dataset-id', 'lab', ...SLOW], { until });
    expectSame(stopped.status, 143, 'how it ended');
    await place.ok(['sync', source.root, place.url, '--dataset-id', 'lab', '--quiet', MASS_DELETE]);
    await place.expectVersion('latest', source.now);
  },
};

export const INTERRUPTED: readonly Scenario[] = [resume, term, random];
