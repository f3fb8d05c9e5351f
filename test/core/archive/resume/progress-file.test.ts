import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { savedProgress } from '../../../../src/core/archive/resume/describe-state.js';
import { ProgressFile, readProgress } from '../../../../src/core/archive/resume/progress-file.js';
import { findUploads, statePaths } from '../../../../src/core/archive/resume/state-folder.js';
import { encodeState } from '../../../../src/core/archive/resume/upload-state.js';
import { ownHolder } from '../../../../src/core/platform/state/lock-holder.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { SAMPLE_ID, SAMPLE_STATE } from './sample-state.js';

const of = { files: 1000, bytes: 123_456_789 };
const later = (seconds: number): string => new Date(Date.parse(SAMPLE_STATE.startedAt) + 1000 * seconds).toISOString();

async function runningUpload(): Promise<{ readonly folder: string; readonly progress: string }> {
  const folder = await tempFolder();
  const paths = statePaths(folder, SAMPLE_ID);
  writeFileSync(paths.state, encodeState(SAMPLE_STATE));
  writeFileSync(paths.lock, `${JSON.stringify(ownHolder('here'))}\n`);
  return { folder, progress: paths.progress };
}

test('the file is written twice a second at most, and tells the last of what was noted when it is asked to', async () => {
  const path = join(await tempFolder(), 'x.progress');
  const file = new ProgressFile(path);

  for (let tenth = 0; tenth < 7; tenth++) file.note({ at: later(tenth / 10), files: 999 - tenth, bytes: tenth, of });
  await expect.poll(() => readProgress(path)).toMatchObject({ files: 994, at: later(0.5) });
  await file.write();

  // Shorter than what was there before.
  expect(await readProgress(path)).toMatchObject({ at: later(0.6), files: 993, bytes: 6, of });
  await file.remove();
  expect(existsSync(path)).toBe(false);
});

test('a running upload is as far as it says itself, and one that was killed as far as its state', async () => {
  const { folder, progress } = await runningUpload();
  const file = new ProgressFile(progress);
  file.note({ at: later(5), files: 2, bytes: 19, of: { files: 2, bytes: 20 } });
  await file.write();

  const [running] = await findUploads(folder, 'here');
  expect(running && savedProgress(running)).toEqual({
    files: 2,
    bytes: 19,
    of: { files: 2, bytes: 20 },
    sentBytes: 19,
    atMs: Date.parse(later(5)),
  });
  const again = await findUploads(folder, 'here', running && [running]);
  expect(again[0]).toBe(running);

  writeFileSync(join(folder, `${SAMPLE_ID}.lock`), `${JSON.stringify({ ...ownHolder('here'), pid: 999_999_999 })}\n`);
  const [killed] = await findUploads(folder, 'here', again);
  expect(killed && savedProgress(killed)).toMatchObject({ files: 1, bytes: 10, of: { files: 3, bytes: 30 } });
});

test.each([
  ['damaged', '{"format":1}'],
  ['of an earlier run', undefined],
])('progress that is %s counts as none', async (_, text) => {
  const { folder, progress } = await runningUpload();
  const file = new ProgressFile(progress);
  file.note({ at: later(-5), files: 2, bytes: 19, of });
  await file.write();
  if (text !== undefined) writeFileSync(progress, text);

  const [upload] = await findUploads(folder, 'here');

  expect(upload && savedProgress(upload)).toMatchObject({ files: 1, bytes: 10 });
  expect(readdirSync(folder)).toContain(`${SAMPLE_ID}.progress`);
});
