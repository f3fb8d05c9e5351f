// The journal when the disk does not do as it is told. What it makes possible is in resume.test.ts.
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { savedUploads, statePaths } from '../../../../src/core/archive/resume/state-folder.js';
import { describeTree, MIB, noise } from '../trees.js';
import { chunkPuts, failingAfter, filesIn, goOn, restored, run, type Site, site } from './interrupted.js';

async function fiveFiles(): Promise<Site> {
  const place = await site();
  mkdirSync(place.source, { recursive: true });
  for (let index = 0; index < 5; index++) writeFileSync(join(place.source, `f${index}`), noise(2 * MIB));
  return place;
}

test('a folder that cannot be made is told once, and the upload goes on', async () => {
  const place = await fiveFiles();
  writeFileSync(place.state, 'in the way');

  await expect(run(place).result).resolves.toMatchObject({ files: 5 });

  expect(place.troubles).toEqual([
    expect.stringMatching(/cannot be saved in .*\(EEXIST\): it continues, and cannot be resumed/),
  ]);
});

test('an upload that fails without a journal takes back what it sent', async () => {
  const place = await fiveFiles();
  writeFileSync(place.state, 'in the way');
  const upload = run(place, { wrap: failingAfter(2) });

  await upload.result.catch(() => undefined);

  const uploads = join(place.base, 'uploads');
  const left = filesIn(uploads).flatMap((id) =>
    filesIn(join(uploads, id)).flatMap((shard) => filesIn(join(uploads, id, shard))),
  );
  expect(left).toEqual([]);
  expect(upload.events).toContainEqual({ type: 'note', text: expect.stringContaining('already sent was removed (') });
});

test('a journal that breaks off claims nothing that is taken back', async () => {
  const place = await fiveFiles();
  await run(place, { wrap: failingAfter(1) }).result.catch(() => undefined);
  const [uploadId = ''] = await savedUploads(place.state).ids();
  const { state, entries } = statePaths(place.state, uploadId);
  const before = statSync(entries).size;
  const again = await goOn(place, {
    wrap: (store) => {
      const failing = failingAfter(2)(store);
      return {
        ...failing,
        put: async (key, body, options) => {
          // The state cannot be replaced from here on.
          rmSync(state, { force: true, recursive: true });
          mkdirSync(state, { recursive: true });
          return await failing.put(key, body, options);
        },
      };
    },
  });

  await again.result.catch(() => undefined);

  expect(place.troubles).toHaveLength(1);
  expect(statSync(entries).size).toBe(before);
  expect(again.calls.filter((call) => call.startsWith('delete ')).length).toBeGreaterThan(0);
});

test('state is for its owner only', async () => {
  const place = await fiveFiles();
  await run(place, { wrap: failingAfter(1) }).result.catch(() => undefined);

  expect(statSync(place.state).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(place.state)) expect(statSync(join(place.state, name)).mode & 0o777).toBe(0o600);
});

test('an upload that failed before anything was acknowledged leaves nothing', async () => {
  const place = await fiveFiles();

  await run(place, { wrap: failingAfter(0) }).result.catch(() => undefined);

  expect(filesIn(place.state)).toEqual([]);
});

test('the state of an upload that is under way stays small', async () => {
  const place = await fiveFiles();
  await run(place, { wrap: failingAfter(3) }).result.catch(() => undefined);
  const [uploadId = ''] = await savedUploads(place.state).ids();

  expect(statSync(statePaths(place.state, uploadId).state).size).toBeLessThan(10_000);
  const second = await goOn(place);
  const { uploadId: done } = await second.result;
  expect(chunkPuts(second).length).toBeGreaterThan(0);
  expect(await restored(place.base, done)).toEqual(describeTree(rawFromText(place.source)));
});
