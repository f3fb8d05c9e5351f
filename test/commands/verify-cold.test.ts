import { expect, test } from 'vitest';
import { command as verify } from '../../src/commands/verify.js';
import { type ColdArchive, makeColdArchive } from '../support/cold-archive.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';
import { treeOf } from '../support/tree-of.js';

const root = treeOf([verify], [], 'test');

const run = async ({ s3 }: ColdArchive, ...argv: string[]): Promise<CommandRun> =>
  await runCommand({ root, folder: await tempFolder(), env: { NO_COLOR: '1', AWS_ENDPOINT_URL: s3.endpoint } }, [
    'verify',
    ...argv,
    '--region',
    'us-east-1',
  ]);
const urlOf = ({ store, archive }: ColdArchive): string => `${store.url}/uploads/${archive.uploadId}`;

test('cold chunks make the status 3, with what a thaw costs and what asks for it', async () => {
  const cold = await makeColdArchive(['STANDARD', 'GLACIER', 'DEEP_ARCHIVE', 'STANDARD']);
  cold.chunk(1).restore = 'ongoing-request="true"';

  const upload = await run(cold, urlOf(cold), '--deep');
  const store = await run(cold, cold.store.url, '--deep');

  expect([upload.status, store.status]).toEqual([3, 3]);
  expect(upload.stdout).toMatch(/^! .*no damage in 2 of 4 chunks read; 2 in cold storage not read\n/);
  const unread =
    /not read +2 chunks in cold storage \(DEEP_ARCHIVE, GLACIER; .*\), 1 of them requested already; the rest costs (?:less than )?\$\d\S+ to request \(bulk tier/;
  expect(upload.stdout).toMatch(unread);
  expect(store.stdout).toMatch(unread);
  expect(upload.stdout).toMatch(/prices +AWS list prices .*; this store is another server, which may charge something/);
  expect(upload.stdout).toMatch(/next +archiver restore \S+ \.\/out --all --tier bulk/);
  expect(upload.stdout + store.stdout).not.toMatch(/whole|error/);
});

test('JSON has them by class, and ok says that nothing is damaged', async () => {
  const cold = await makeColdArchive(['STANDARD', 'GLACIER']);

  const { status, stdout } = await run(cold, urlOf(cold), '--deep', '--json');

  expect([status, json(stdout)]).toMatchObject([
    3,
    {
      ok: true,
      checked: 'sample',
      chunksRead: 1,
      unreadCold: [{ storageClass: 'GLACIER', state: 'cold', chunks: 1 }],
      thawEstimate: { costUsd: expect.any(Number), tier: 'bulk', restoreDays: 7 },
    },
  ]);
});

test('damage counts for more than cold chunks', async () => {
  const cold = await makeColdArchive(['STANDARD', 'GLACIER']);
  const { body } = cold.chunk(0);
  body[20] = (body[20] ?? 0) ^ 1;

  const { status, stdout } = await run(cold, urlOf(cold), '--deep');

  expect([status, stdout]).toEqual([1, expect.stringMatching(/is damaged: 2 errors[^]*not read +1 chunk in cold/)]);
});

test('where no chunk is read, presence is all that was checked', async () => {
  const cold = await makeColdArchive(['GLACIER', 'GLACIER']);

  const { status, stdout } = await run(cold, urlOf(cold), '--sample', '1%');
  const presence = await run(cold, urlOf(cold));

  expect([status, stdout]).toEqual([3, expect.stringMatching(/: all 2 chunks present; contents not read/)]);
  expect([presence.status, presence.stdout]).toEqual([0, expect.not.stringContaining('cold')]);
});

test('what mends damage is the last line, also of a store with cold chunks', async () => {
  const cold = await makeColdArchive(['STANDARD', 'GLACIER']);
  cold.s3.buckets.get('cold')?.delete(cold.chunkKey(0));

  const { status, stdout } = await run(cold, cold.store.url, '--deep');

  expect([status, stdout]).toEqual([
    1,
    expect.stringMatching(/not read +1 chunk in cold[^]*\n {2}next +archiver sync .*\n$/),
  ]);
});
