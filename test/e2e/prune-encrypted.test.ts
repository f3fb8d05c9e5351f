// An encrypted dataset is pruned: what is rewritten stays encrypted, copies of deltas too. S3 and KMS are servers of this process.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { KEY_ARN } from '../support/fake-kms.js';
import { startKmsServer } from '../support/kms-server.js';
import { startMemoryS3 } from '../support/memory-s3.js';
import { useTestCredentials } from '../support/open-s3.js';
import { tempFolder } from '../support/temp-folder.js';
import { type CommandRun, runCommand } from '../support/run-command.js';
import { makeFolder } from './upload-cli.js';

const URL = 's3://bucket/lab';
const ID = ['--dataset-id', 'd'];

async function site() {
  useTestCredentials();
  const home = await tempFolder();
  const [s3, kms] = [await startMemoryS3('bucket'), await startKmsServer()];
  onTestFinished(async () => {
    await s3.close();
    await kms.close();
  });
  const env = {
    AWS_ENDPOINT_URL_S3: s3.endpoint,
    AWS_ENDPOINT_URL: kms.endpoint,
    AWS_ACCESS_KEY_ID: 'archiver',
    AWS_SECRET_ACCESS_KEY: 'archiver-secret',
    AWS_REGION: 'eu-west-1',
  };
  const root = program();
  const run = (...args: string[]): Promise<CommandRun> => runCommand({ root, folder: home, env }, args);
  const source = makeFolder(home, 'source');
  for (let at = 0; at < 20; at++) writeFileSync(join(source, `patient-${at}`), `content ${at}`);
  const sync = async (...flags: string[]): Promise<Record<string, string>> => {
    const argv = ['sync', source, URL, ...ID, '--track-deletes', '--json', '--quiet', ...flags];
    return JSON.parse((await run(...argv)).stdout) as Record<string, string>;
  };
  return {
    kms,
    source,
    sync,
    out: join(home, 'out'),
    objects: () => s3.buckets.get('bucket') ?? new Map<string, { readonly body: Buffer }>(),
    run,
  };
}

test('an encrypted dataset is pruned, and stays encrypted and readable', async () => {
  const { kms, source, sync, out, objects, run } = await site();
  await sync('--kms-key-id', KEY_ARN, '--encrypt-manifest');
  rmSync(join(source, 'patient-3'));
  const second = await sync();
  writeFileSync(join(source, 'patient-new'), 'new');
  const third = await sync();
  const manifests = (): [string, Buffer][] =>
    [...objects()].flatMap(([key, { body }]) => (key.includes('/manifest.json.gz') ? [[key, body]] : []));
  const copies = manifests().filter(([key]) => key.includes('.copy-'));
  const verified = await run('verify', `${URL}/uploads/${second['uploadId']}`, '--json');
  const prune = (...flags: string[]): Promise<CommandRun> =>
    run('dataset', 'prune', URL, ...ID, '--yes', '--json', ...flags);

  const pruned = await prune('--keep-last', '2');
  const kept = manifests();
  const instant = await prune('--keep-last', '1', '--instant');
  const [record] = [...objects()].flatMap(([key, { body }]) => (key.endsWith('v00000003.json') ? [body] : []));
  const deep = await run('verify', `${URL}/uploads/${third['uploadId']}`, '--deep');
  await run('restore', `${URL}/uploads/${third['uploadId']}`, out, '--all');

  expect([pruned.status, instant.status, deep.status]).toEqual([0, 0, 0]);
  expect(JSON.parse(pruned.stdout)).toMatchObject({ retired: [{ version: 1 }], compacted: [2], deletedObjects: 0 });
  expect(JSON.parse(instant.stdout)).toMatchObject({ retired: [{ version: 2 }], compacted: [3], failed: [] });
  expect(copies.map(([key]) => key.includes(String(second['uploadId'])))).toEqual([true]);
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, warnings: [] });
  expect(kept.length).toBeGreaterThan(4); // the old one and the new one of v2 beside it, too
  for (const [key, body] of [...kept, ...manifests()])
    expect([key, body.toString('latin1', 0, 8)]).toEqual([key, 'ARCHENC1']);
  expect(manifests().map(([key]) => key)).toEqual([expect.stringContaining(`${third['uploadId']}/manifest.json.gz`)]);
  expect(JSON.parse(String(record))).toMatchObject({ listing: 'full', source: {}, encryption: { manifest: true } });
  expect([readFileSync(join(out, 'patient-4'), 'utf8'), readFileSync(join(out, 'patient-new'), 'utf8')]).toEqual([
    'content 4',
    'new',
  ]);

  kms.fail({ operation: 'Decrypt', type: 'AccessDeniedException', message: 'no' });
  const before = [...objects().keys()];
  const denied = await prune('--keep-last', '1');
  expect([denied.status, JSON.parse(denied.stdout)]).toMatchObject([
    1,
    { error: { message: expect.stringMatching(/^nothing was pruned: version 3 of dataset d cannot be read/) } },
  ]);
  expect([...objects().keys()]).toEqual(before);
});

test('all datasets of a place are pruned by the same rules, clear and encrypted ones', async () => {
  const { source, sync, objects, run } = await site();
  await sync('--kms-key-id', KEY_ARN, '--encrypt-manifest');
  const other = join(source, 'other');
  mkdirSync(other);
  await run('upload', other, URL, '--dataset-id', 'other');
  await run('upload', other, URL, '--dataset-id', 'other');
  await sync();
  const argv = ['dataset', 'prune', URL, '--all-datasets', '--keep-last', '1'];

  const dry = await run(...argv, '--dry-run');
  const pruned = await run(...argv, '--yes', '--instant', '--json');
  const again = await run(...argv, '--yes');
  const retired = [...objects()].filter(([key, { body }]) => key.includes('/datasets/') && body.length === 400);

  expect(dry.stdout).toMatch(
    /^dataset d\n[^]* v2: latest\n {2}retire +1 version: 1\n[^]*dataset other\n[^]*2 datasets: 2 versions kept, 2 to retire\n/,
  );
  expect(JSON.parse(pruned.stdout)).toMatchObject({
    location: URL,
    datasets: [
      { datasetId: 'd', kept: [{ version: 2, reasons: ['latest'] }], retired: [{ version: 1 }], compacted: [2] },
      { datasetId: 'other', kept: [{ version: 2 }], retired: [{ version: 1 }], compacted: [] },
    ],
    failed: [],
  });
  expect((JSON.parse(pruned.stdout) as { deletedObjects: number }).deletedObjects).toBeGreaterThan(2);
  expect(again.stdout).toBe('nothing to prune: 2 datasets keep 2 versions\n');
  expect(retired.map(([key]) => key)).toEqual(['d', 'other'].map((id) => `lab/datasets/${id}/v00000001.json`));
  expect((await run(...argv, '--dataset-id', 'd')).stderr).toMatch(
    /--dataset-id and --all-datasets cannot be combined/,
  );
});

test('moved files of an encrypted dataset are referred to, and outlive the version that sent them', async () => {
  const { source, sync, out, run } = await site();
  await sync('--kms-key-id', KEY_ARN, '--encrypt-manifest', '--enable-dedup');
  renameSync(join(source, 'patient-1'), join(source, 'renamed'));
  const second = await sync();
  const pruned = async (): Promise<unknown> => {
    const { stdout } = await run('dataset', 'prune', URL, ...ID, '--keep-last', '1', '--instant', '--yes', '--json');
    return JSON.parse(stdout);
  };

  expect(second).toMatchObject({ referred: { files: 1 }, chunks: 0 });
  expect((await run('dataset', 'tag', URL, 'cited', 'v1', ...ID)).status).toBe(0);
  expect(await pruned()).toMatchObject({ retired: [], kept: [{ reasons: ['tag cited'] }, { reasons: ['latest'] }] });
  expect((await run('dataset', 'tag', URL, 'cited', 'v1', ...ID, '--remove')).status).toBe(0);
  expect(await pruned()).toMatchObject({ retired: [{ version: 1 }], failed: [] });
  expect((await run('find', 'renamed', URL)).stdout).toMatch(/^v2 .* renamed$/m);
  expect((await run('verify', URL, '--deep')).status).toBe(0);
  expect((await run('restore', URL, out, '--all')).status).toBe(0);
  expect(readFileSync(join(out, 'renamed'), 'utf8')).toBe('content 1');
});
