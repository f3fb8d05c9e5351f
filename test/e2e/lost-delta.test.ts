// A delta says more than its chunks: what was deleted, what has new metadata alone, how the folder itself is. A copy beside its
// manifest lets a repair bring all of that back on a computer that remembers nothing.
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeTree } from '../core/archive/trees.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './in-process.js';
import { makeFolder, onlyUpload, type Ran } from './upload-cli.js';

interface Site {
  readonly source: string;
  readonly url: string;
  /** Syncs; gives the folder of the upload. */
  readonly sync: () => Promise<string>;
  /** On a computer that has never seen the store. */
  readonly elsewhere: (...args: string[]) => Promise<Ran>;
  readonly prune: (...args: string[]) => Promise<Ran>;
  readonly out: string;
}

async function withVersion(...flags: readonly string[]): Promise<Site> {
  const home = await tempFolder();
  const [source, base] = [makeFolder(home, 'source'), join(home, 'store')];
  const url = `file://${base}`;
  for (let at = 0; at < 20; at++) {
    mkdirSync(join(source, `folder ${at % 2}`), { recursive: true });
    writeFileSync(join(source, `folder ${at % 2}/file ${at}`), `content ${at}`);
  }
  const sync = async (): Promise<string> => {
    const { stdout } = await archiver(home, [
      'sync',
      source,
      url,
      '--dataset-id',
      'd',
      '--track-deletes',
      ...flags,
      '--json',
    ]);
    return join(base, 'uploads', (JSON.parse(stdout) as { uploadId: string }).uploadId);
  };
  await sync();
  return {
    source,
    url,
    sync,
    elsewhere: (...args) => archiver(makeFolder(home, 'elsewhere'), args),
    prune: (...args) => archiver(home, ['dataset', 'prune', url, '--dataset-id', 'd', '--instant', '--yes', ...args]),
    out: join(home, 'out'),
  };
}

const manifestsOf = (upload: string): string[] => readdirSync(upload).filter((name) => name.startsWith('manifest'));
const COPY = /^manifest\.json\.gz\.copy-[0-9a-f]{8}$/;

describe('a lost delta', () => {
  test.each<[string, (source: string) => void]>([
    [
      'of deletions and new files',
      (source) => (rmSync(join(source, 'folder 0/file 2')), writeFileSync(join(source, 'x'), 'x')),
    ],
    ['of a moved file alone', (source) => renameSync(join(source, 'folder 0/file 2'), join(source, 'moved'))],
    [
      'of so many moved files that it lists everything',
      (source) => renameSync(join(source, 'folder 0'), join(source, 'folder 0 moved')),
    ],
    ['of metadata alone', (source) => chmodSync(join(source, 'folder 1/file 3'), 0o600)],
    ['of the folder itself', (source) => chmodSync(source, 0o711)],
  ])('%s comes back as it was, with what builds on it', async (_name, change) => {
    const site = await withVersion('--enable-dedup');
    change(site.source);
    const lost = await site.sync();
    const expected = [describeTree(site.source), statSync(site.source).mode];
    writeFileSync(join(site.source, 'folder 1/later'), 'later');
    const newest = await site.sync();
    rmSync(join(lost, 'manifest.json.gz'));

    const repaired = await site.elsewhere('repair', `file://${lost}`, '--execute', '--json');
    const verified = await site.elsewhere('verify', `file://${newest}`, '--deep');
    await site.elsewhere('restore', `file://${lost}`, site.out, '--all');

    expect([repaired.status, verified.status]).toEqual([0, 0]);
    expect(JSON.parse(repaired.stdout)).toMatchObject({
      parts: [{ foundIn: 'copy' }],
      rebased: [],
      unknowns: [],
      lost: [],
    });
    expect([describeTree(site.out), statSync(site.out).mode]).toEqual(expected);
  });

  test('its copy stays as long as it is one', async () => {
    const site = await withVersion();
    rmSync(join(site.source, 'folder 0/file 2'));
    const delta = await site.sync();
    const kept = await site.prune('--keep-last', '2');
    const before = manifestsOf(delta);
    const compacted = await site.prune('--keep-last', '1');
    await site.prune('--keep-last', '1');

    expect([kept.status, compacted.status]).toEqual([0, 0]);
    expect(before).toEqual(['manifest.json.gz', expect.stringMatching(COPY)]);
    expect(manifestsOf(delta)).toEqual(['manifest.json.gz']);
  });
});

test('the names of moved files outlive the older versions and the manifest', async () => {
  const site = await withVersion('--enable-dedup');
  renameSync(join(site.source, 'folder 0/file 2'), join(site.source, 'moved'));
  const compacted = await site.sync();
  await site.prune('--keep-last', '1');
  await site.prune('--keep-last', '1');
  rmSync(join(compacted, 'manifest.json.gz'));

  const repaired = await site.elsewhere('repair', `file://${compacted}`, '--execute', '--json');
  await site.elsewhere('restore', `file://${compacted}`, site.out, '--all');

  expect([repaired.status, describeTree(site.out)]).toEqual([0, describeTree(site.source)]);
});

test('a delta of new files and a full listing have no copy', async () => {
  const { source, url, sync } = await withVersion();
  const full = onlyUpload(url.slice('file://'.length));
  writeFileSync(join(source, 'folder 1/new'), 'new');
  const delta = await sync();

  expect([full, delta].map(manifestsOf)).toEqual([['manifest.json.gz'], ['manifest.json.gz']]);
});
