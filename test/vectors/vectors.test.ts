// The test vectors of docs/format.md: each is read, or refused, as it says beside it, and is what `make-vectors.ts` makes.
import { spawnSync } from 'node:child_process';
import { cpSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readView } from '../../src/core/dataset/chain/read-view.js';
import { digestsOf, openVersion } from '../../src/core/dataset/chain/version-view.js';
import { isSameVersion } from '../../src/core/dataset/records/version-name.js';
import { listVersions, readVersion } from '../../src/core/dataset/records/versions.js';
import type { VersionRecord } from '../../src/core/format/manifest/manifest-types.js';
import { encodeFence } from '../../src/core/format/manifest/fence.js';
import { chunkKey } from '../../src/core/format/manifest/manifest-check.js';
import { manifestKeyOf } from '../../src/core/store/ids/upload-id.js';
import { seededHash, seedOf } from '../../src/core/format/chunk/seeded-hash.js';
import { verifyUpload } from '../../src/core/mend/verify/verify.js';
import { mentionLine } from '../../src/core/format/manifest/compose-manifest.js';
import type { Entry } from '../../src/core/format/manifest/manifest-types.js';
import { fileStore } from '../../src/core/store/file/file-store.js';
import type { ObjectReader } from '../../src/core/store/object-store.js';
import { asUploadId } from '../support/as-upload-id.js';
import { hasRecipeTools, recipe, runScript } from '../support/format-recipe.js';
import { type Json, md5 } from '../support/make-archive.js';
import { DATASET } from '../support/make-dataset.js';
import { linkId } from '../support/make-chain.js';
import { tempFolder } from '../support/temp-folder.js';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
interface Expected {
  readonly datasetId: string;
  readonly version: number;
  readonly fork?: string;
  readonly entries?: readonly Json[];
  readonly refused?: string;
  readonly swept?: string;
}
const vectors = readdirSync(FOLDER, { withFileTypes: true })
  .filter((found) => found.isDirectory())
  .map(
    ({ name }) => [name, JSON.parse(readFileSync(join(FOLDER, name, 'expected.json'), 'utf8')) as Expected] as const,
  );

const plain = (entry: Entry): Json => {
  const { chunk: _c, offset: _o, segments: _s, ...line } = JSON.parse(mentionLine(entry)) as Json;
  return line;
};
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();

const sound = vectors.filter(([, { refused }]) => refused === undefined);
const refusals = vectors.filter(([, { refused }]) => refused !== undefined);
const readerOf = (name: string): ObjectReader => fileStore(join(FOLDER, name, 'store'));

async function recordOf(reader: ObjectReader, { datasetId, version, fork }: Expected): Promise<VersionRecord> {
  const found = (await listVersions(reader, datasetId)).find((listed) => isSameVersion(listed, { version, fork }));
  return await readVersion(reader, found ?? { datasetId, version });
}

async function streamed(reader: ObjectReader, expected: Expected): Promise<Json[]> {
  const record = await recordOf(reader, expected);
  const found: Json[] = [];
  const onEntry = (entry: Entry): void => void found.push(plain(entry));
  await readView(reader, { uploadId: record.uploadId, sha256: digestsOf(record), onEntry });
  return found;
}

async function merged(reader: ObjectReader, expected: Expected): Promise<Json[]> {
  const view = await openVersion(reader, await recordOf(reader, expected));
  const found: Json[] = [];
  for await (const batch of view.entries()) found.push(...batch.map(plain));
  return found;
}

test.each(sound)('%s is read as it says, streamed and merged', async (name, expected) => {
  expect(await streamed(readerOf(name), expected)).toEqual(expected.entries);
  expect(await merged(readerOf(name), expected)).toEqual(expected.entries);
});

test.each(refusals)('%s is refused, streamed and merged', async (name, expected) => {
  const refusal = { code: 'integrity', message: expect.stringContaining(expected.refused ?? '') as unknown };

  await expect(streamed(readerOf(name), expected)).rejects.toMatchObject(refusal);
  await expect(merged(readerOf(name), expected)).rejects.toMatchObject(refusal);
});

test.skipIf(!hasRecipeTools).each(sound)(
  '%s comes back with the plain tools of docs/format.md, content and all',
  { timeout: 60_000 },
  async (name, expected) => {
    const { entries = [] } = expected;
    const folder = await tempFolder();
    cpSync(join(FOLDER, name, 'store'), folder, { recursive: true });
    const { uploadId } = await recordOf(readerOf(name), expected);

    for (const key of filesIn(folder).filter((file) => file.endsWith('/manifest.json.gz')))
      if (name === 'segments') runScript(recipe('join'), dirname(key));
    runScript(recipe('version'), folder, { id: uploadId });

    const out = join(folder, 'out');
    const shown = entries.map(({ path, type, mode, md5, size, target }) =>
      target === undefined ? [path, type === 'directory' ? 'directory' : 'file', mode, md5, size] : [path, target],
    );
    const isNoFolder = ({ type }: Json): boolean => type !== 'directory';
    const found = readdirSync(out, { recursive: true, withFileTypes: true }).filter((at) => !at.isDirectory());
    expect(found.length).toBe(entries.filter(isNoFolder).length);
    expect(entries.map(({ path }) => onDisk(out, String(path)))).toEqual(shown);
    const inodes = new Map<unknown, Set<number>>();
    for (const { path, linkGroup } of entries.filter((entry) => 'linkGroup' in entry))
      inodes.set(linkGroup, (inodes.get(linkGroup) ?? new Set()).add(lstatSync(join(out, String(path))).ino));
    expect([...inodes.values()].every(({ size }) => size === 1)).toBe(true);
  },
);

function onDisk(out: string, path: string): unknown[] {
  const at = join(out, path);
  const stat = lstatSync(at);
  if (stat.isSymbolicLink()) return [path, readlinkSync(at)];
  const mode = (stat.mode & 0o7777).toString(8).padStart(4, '0');
  if (stat.isDirectory()) return [path, 'directory', mode, undefined, undefined];
  return [path, 'file', mode, md5(readFileSync(at)), stat.size];
}

test('the XXH64 of an entry has the seed of the upload in whose folder the content lies', async () => {
  const reader = readerOf('xxh64');
  const record = await readVersion(reader, { datasetId: DATASET, version: 2 });
  const view = await openVersion(reader, record);
  const seen: string[] = [];
  for await (const batch of view.entries())
    for (const { path, chunk = -1, offset = 0, size, xxh64 } of batch) {
      const key = chunkKey(record.uploadId, view.chunks[chunk]?.key ?? '') ?? '';
      const { stdout } = spawnSync('zstd', ['-dcq', join(FOLDER, 'xxh64', 'store', key)]);
      const digest = Buffer.alloc(8);
      const seed = seedOf(asUploadId(key.split('/')[1] ?? ''));
      seededHash()?.write(stdout.subarray(offset, offset + size), seed, digest, 0);
      expect([path, xxh64]).toEqual([path, digest.toString('hex')]);
      seen.push(`${path} in ${key.split('/')[1] ?? ''}`);
    }
  expect(seen).toEqual(['b', 'c', 'new'].map((path, at) => `${path} in ${linkId(at < 2 ? 0 : 1)}`));
});

const swept = vectors.flatMap(([name, expected]) =>
  expected.swept === undefined ? [] : [[name, expected.swept] as const],
);
test.each(swept)('%s: an upload that was given up is none', async (name, id) => {
  const reader = readerOf(name);
  const uploadId = asUploadId(id);

  const { body } = await reader.get(manifestKeyOf(uploadId));
  const bytes = Buffer.concat((await body.toArray()) as Buffer[]);
  expect(bytes.equals(encodeFence(uploadId, new Date('2026-03-09T12:00:00.000Z')))).toBe(true);
  await expect(readView(reader, { uploadId })).rejects.toMatchObject({
    code: 'not-found',
    message: expect.stringContaining('was given up before it became a version'),
  });
});

test.each(sound)('%s agrees with itself, as verify sees it', async (name, expected) => {
  const reader = readerOf(name);
  const { uploadId } = await recordOf(reader, expected);

  const { errors } = await verifyUpload({
    reader,
    uploadId,
    mode: 'default',
    sample: 1,
    random: Math.random,
    now: () => new Date(),
    requestsAtOnce: 4,
    emit: () => undefined,
    signal: new AbortController().signal,
  });

  expect(errors).toEqual([]);
});

test('they are what their script makes', { timeout: 120_000 }, () => {
  const again = mkdtempSync(join(tmpdir(), 'vectors-'));
  const made = spawnSync('npx', ['tsx', join(FOLDER, 'make-vectors.ts'), again], { encoding: 'utf8' });
  expect([made.status, made.stderr.includes('Error')]).toEqual([0, false]);

  for (const [name] of vectors) {
    const [old, next] = [filesIn(join(FOLDER, name)), filesIn(join(again, name))];
    expect(next.map((path) => path.slice(again.length + 1))).toEqual(old.map((path) => path.slice(FOLDER.length)));
    for (const [index, path] of old.entries())
      expect([path, readFileSync(next[index] ?? '').equals(readFileSync(path))]).toEqual([path, true]);
  }
});
