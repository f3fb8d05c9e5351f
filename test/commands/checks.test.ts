// Records of checks: what `verify` puts into the store, what commands show of them, and what a prune leaves.
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { command as info } from '../../src/commands/info.js';
import { command as prune } from '../../src/commands/dataset/prune.js';
import { command as versions } from '../../src/commands/dataset/versions.js';
import { command as verify } from '../../src/commands/verify.js';
import { ownKey } from '../../src/core/dataset/own-keys.js';
import { linkId } from '../support/make-chain.js';
import { DATASET, makeDataset } from '../support/make-dataset.js';
import { callsIn, datasetFolder } from '../support/dataset-folder.js';
import { treeOf } from '../support/tree-of.js';

const made = makeDataset([
  { files: [{ path: 'a.txt', content: 'alpha' }] },
  { files: [{ path: 'b.txt', content: 'beta' }] },
]);
const root = treeOf([verify, versions, info, prune], [{ path: 'dataset', summary: 'datasets' }], 'test');
let folder = '';
let base = '';
const { run, json } = callsIn(root, () => folder);
const checksFolder = (): string => join(folder, 'store/datasets', DATASET, 'checks');
const checks = (): string[] => (existsSync(checksFolder()) ? readdirSync(checksFolder()).toSorted() : []);
const verdicts = (): string[] => checks().map((name) => name.split('.').slice(1, 3).join(' '));

beforeEach(async () => {
  ({ folder, base } = await datasetFolder(made));
});

describe('a check that was put', () => {
  test('says what was looked at, by whom, and is shown with its date', async () => {
    await run('verify', base, '--dataset-id', DATASET, '--deep');

    const [name = ''] = checks();
    const document = JSON.parse(readFileSync(join(checksFolder(), name), 'utf8'));
    expect(document).toMatchObject({
      kind: 'deep',
      ok: true,
      checked: 'content',
      versions: [{ version: 2, errorCount: 0 }],
    });
    expect(ownKey(`datasets/${DATASET}/checks/${name}`)?.kind).toBe('record');
    const shown = await run('dataset', 'versions', base);
    expect(shown.stdout).toMatch(/v2 .*deep just now, 100%/);
    expect(shown.stdout).not.toMatch(/v1 .*deep/);
    expect((await run('info', base, '--dataset-id', DATASET)).stdout).toMatch(
      /checked +verified deep just now by \S+; 100% of chunks read; ok/,
    );
  });

  test('of a whole store is one for each dataset, of all of its versions', async () => {
    await run('verify', base);

    expect(verdicts()).toEqual(['listing ok']);
    const { versions: listed } = (await json('dataset', 'versions', base)) as unknown as {
      versions: { versionChecks: unknown[] }[];
    };
    expect(listed.map(({ versionChecks }) => versionChecks.length)).toEqual([1, 1]);
  });

  test('has the mode of the folder of its dataset, so that others can still list versions', async () => {
    chmodSync(join(folder, 'store/datasets', DATASET), 0o755);

    await run('verify', base);

    expect(
      [checksFolder(), join(checksFolder(), checks()[0] ?? '')].map((path) => statSync(path).mode & 0o777),
    ).toEqual([0o755, 0o644]);
  });
});

test('checks of a store that a group shares belong to that group', async () => {
  chmodSync(join(folder, 'store/datasets', DATASET), 0o2775);

  await run('verify', base);

  expect(statSync(checksFolder()).mode & 0o7777).toBe(0o2775);
});

describe('a failure', () => {
  const damage = (): void => {
    const upload = join(folder, 'store/uploads', linkId(1));
    const name = readdirSync(upload, { recursive: true }).find((path) => String(path).endsWith('.tar.zst'));
    const chunk = join(upload, String(name));
    const bytes = readFileSync(chunk);
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    writeFileSync(chunk, bytes);
  };

  test('outranks a success before it, and a later one that looked at less', async () => {
    await run('verify', base, '--dataset-id', DATASET, '--deep');
    damage();
    const failed = await run('verify', base, '--dataset-id', DATASET, '--deep');
    await run('verify', base, '--dataset-id', DATASET);

    expect(failed.status).toBe(1);
    const shown = await run('dataset', 'versions', base);
    expect(shown.stdout).toMatch(/v2 .*✗ FAILED deep just now/);
    expect(shown.stderr).toMatch(/v2: verified deep: FAILED just now by/);
  });

  test('names what it is about', async () => {
    const upload = join(folder, 'store/uploads', linkId(1));
    const name = String(readdirSync(upload, { recursive: true }).find((path) => String(path).endsWith('.tar.zst')));
    unlinkSync(join(upload, name));

    await run('verify', base, '--dataset-id', DATASET);

    const { versions: about } = JSON.parse(readFileSync(join(checksFolder(), checks()[0] ?? ''), 'utf8')) as {
      versions: { problems: string[] }[];
    };
    expect(about[0]?.problems[0]).toContain(name);
  });

  test('is over when all of it was found right later', async () => {
    damage();
    await run('verify', base, '--dataset-id', DATASET, '--deep');
    damage();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await run('verify', base, '--dataset-id', DATASET, '--deep');

    expect(verdicts().toSorted()).toEqual(['deep failed', 'deep ok']);
    expect((await run('dataset', 'versions', base)).stdout).not.toContain('FAILED');
  });
});

describe('without a record', () => {
  test('--no-record puts none', async () => {
    const { status } = await run('verify', base, '--no-record');

    expect([status, checks()]).toEqual([0, []]);
  });

  test('what cannot be put is said, and the status is that of the check', async () => {
    writeFileSync(checksFolder(), 'in the way');

    const { status, stdout } = await run('verify', base, '--dataset-id', DATASET);

    expect([status, stdout]).toEqual([0, expect.stringMatching(/record +none was put into the store: /)]);
  });
});

test('checks that are damaged, or of a later form, are named and nothing else', async () => {
  await run('verify', base);
  const [name = ''] = checks();
  writeFileSync(join(checksFolder(), name), '{"format":1}');
  writeFileSync(join(checksFolder(), 'later.kind.json'), '{}');

  const { status, stderr } = await run('dataset', 'versions', base);

  expect([status, stderr]).toEqual([0, expect.stringContaining('is damaged')]);
});

test('a prune deletes checks of versions that are gone, and all but the newest hundred', async () => {
  await run('verify', base, '--dataset-id', DATASET, '--version', '1');
  await run('verify', base, '--dataset-id', DATASET);
  const read = (name: string): string => readFileSync(join(checksFolder(), name), 'utf8');
  const copy =
    checks()
      .map(read)
      .find((text) => text.includes('"version":2')) ?? '';
  for (let count = 0; count < 120; count++) {
    const id = `20250101-0000${String(count % 60).padStart(2, '0')}-${String(count).padStart(8, '0')}`;
    writeFileSync(join(checksFolder(), `${id}.listing.ok.json`), copy);
  }

  const planned = await json(
    'dataset',
    'prune',
    base,
    '--dataset-id',
    DATASET,
    '--keep-last',
    '1',
    '--dry-run',
    '--allow-mass-delete',
  );
  const done = await json(
    'dataset',
    'prune',
    base,
    '--dataset-id',
    DATASET,
    '--keep-last',
    '1',
    '--yes',
    '--allow-mass-delete',
  );

  expect([planned['oldCheckCount'], done['oldCheckCount']]).toEqual([23, 23]);
  const ofVersions = checks().map(
    (name) => JSON.parse(readFileSync(join(checksFolder(), name), 'utf8')).versions[0].version,
  );
  expect([ofVersions.length, new Set(ofVersions)]).toEqual([99, new Set([2])]);
});
