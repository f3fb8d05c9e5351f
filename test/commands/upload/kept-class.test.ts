// A version without a storage class of its own goes where the version before went.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, test } from 'vitest';
import { command as createUpload } from '../../../src/commands/create/upload.js';
import { command as plan } from '../../../src/commands/plan.js';
import { command as sync } from '../../../src/commands/sync.js';
import { command as upload } from '../../../src/commands/upload.js';
import { errorAnswer, type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';
import { treeOf } from '../../support/tree-of.js';

const root = treeOf([createUpload, plan, sync, upload], [], 'test');
const NOTE = 'storage class DEEP_ARCHIVE, as the version before';

let s3: MemoryS3;
let folder = '';
let home = '';
let written = 0;

beforeEach(async () => {
  useTestCredentials();
  s3 = await startMemoryS3('bucket');
  onTestFinished(() => s3.close());
  folder = await tempFolder();
  home = join(folder, 'home');
  mkdirSync(join(folder, 'source'));
});

const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandRun> =>
  runCommand(
    { root, folder, env: { NO_COLOR: '1', AWS_ENDPOINT_URL: s3.endpoint, ARCHIVER_HOME: home, ...env } },
    argv,
  );

/** Adds a file, runs the command over the folder, and returns the classes of the chunks that were put. */
async function after(
  command: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandRun & { readonly classes: readonly string[] }> {
  const before = new Set(s3.buckets.get('bucket')?.keys());
  writeFileSync(join(folder, 'source', `file-${++written}`), `content ${written}`);
  const dataset = command === 'create upload' ? [] : ['--dataset-id', 'd'];
  const where = [join(folder, 'source'), 's3://bucket/lab', ...dataset, '--region', 'us-east-1'];
  const ran = await run([...command.split(' '), ...where, ...flags], env);
  const put = [...(s3.buckets.get('bucket') ?? [])].filter(([key]) => key.endsWith('.zst') && !before.has(key));
  return { ...ran, classes: [...new Set(put.map(([, { headers }]) => headers['x-amz-storage-class'] ?? 'STANDARD'))] };
}

const COLD = ['--storage-class', 'DEEP_ARCHIVE'];

test.each(['sync', 'upload', 'upload --incremental'])(
  '%s takes the class of the version before, and says so once',
  async (command) => {
    await after('upload', COLD);

    const ran = await after(command);

    expect(ran).toMatchObject({ status: 0, classes: ['DEEP_ARCHIVE'] });
    expect(ran.stderr.split(NOTE)).toHaveLength(2);
    expect(await after(command)).toMatchObject({ status: 0, classes: ['DEEP_ARCHIVE'] });
  },
);

it('reads of the manifest before no more than its front, and nothing where this computer remembers', async () => {
  const manifests = (): number =>
    s3.requests.filter(({ operation, path }) => operation === 'GetObject' && /manifest\.json/.test(path)).length;
  await after('upload', COLD);
  const first = manifests();

  const remembered = await after('upload');
  const second = manifests();
  home = join(folder, 'another-home');
  const elsewhere = await after('upload');

  expect([remembered.classes, elsewhere.classes]).toEqual([['DEEP_ARCHIVE'], ['DEEP_ARCHIVE']]);
  expect([second - first, manifests() - second]).toEqual([first, first + 1]);
});

test('a flag wins over a variable, and that over the dataset; what was said is kept from then on', async () => {
  await after('sync', COLD);

  const byVariable = await after('sync', [], { ARCHIVER_STORAGE_CLASS: 'GLACIER_IR' });
  const kept = await after('sync');
  const byFlag = await after('sync', ['--storage-class', 'STANDARD'], { ARCHIVER_STORAGE_CLASS: 'GLACIER_IR' });
  const standard = await after('sync');

  expect([byVariable, kept, byFlag, standard].map(({ classes }) => classes)).toEqual([
    ['GLACIER_IR'],
    ['GLACIER_IR'],
    ['STANDARD'],
    ['STANDARD'],
  ]);
  expect(byVariable.stderr + byFlag.stderr + standard.stderr).not.toContain('as the version before');
});

test('dry runs and plans reckon with it', async () => {
  await after('sync', COLD);

  const dry = await after('sync', ['--dry-run', '--json']);
  const planned = await after('plan', ['--json']);

  expect(json(dry.stdout)).toMatchObject({ classes: [{ storageClass: 'DEEP_ARCHIVE' }] });
  expect([planned.status, planned.stderr.includes(NOTE)]).toEqual([0, true]);
});

test('classes that were chosen by age are none of the version after', async () => {
  expect((await after('upload', ['--auto-tier', '--tier-hot-days', '0', '--tier-max', 'STANDARD_IA'])).status).toBe(0);

  expect(await after('sync')).toMatchObject({ status: 0, classes: ['STANDARD'] });
});

test('a manifest that cannot be read costs a warning, and no full upload', async () => {
  await after('upload', COLD);
  home = join(folder, 'another-home');
  for (const [key, object] of s3.buckets.get('bucket') ?? [])
    if (/manifest\.json/.test(key)) object.body = Buffer.from('nothing');

  const ran = await after('upload');

  expect(ran).toMatchObject({ status: 0, classes: ['STANDARD'] });
  expect(ran.stderr).toContain('the storage class of the version before is not known, this one goes to STANDARD');
});

test('a writer that may not read takes what this computer remembers, and STANDARD where it remembers nothing', async () => {
  await after('create upload', COLD);
  s3.rules.answer = (operation) =>
    operation === 'GetObject' || operation.startsWith('ListObjects') ? errorAnswer(403, 'AccessDenied') : undefined;

  const remembered = await after('create upload');
  home = join(folder, 'another-home');
  const forgotten = await after('create upload');

  expect(remembered).toMatchObject({ status: 0, classes: ['DEEP_ARCHIVE'] });
  expect(forgotten).toMatchObject({ status: 0, classes: ['STANDARD'] });
});
