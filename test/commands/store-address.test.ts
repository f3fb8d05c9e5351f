// How people name a store: as a path, by a variable, by the config file.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { program } from '../../src/commands/index.js';
import { makeArchive, UPLOAD_ID } from '../support/make-archive.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const root = program();
let folder = '';

const run = (argv: readonly string[], env: Record<string, string> = {}): Promise<CommandRun> =>
  runCommand({ root, folder, env }, argv);
const uploadsIn = (store: string): readonly string[] => readdirSync(join(folder, store, 'uploads'));
const good = expect.objectContaining({ status: 0 }) as CommandRun;

/** A store with one upload of one file. */
function writeStore(name: string, path = 'a.txt'): void {
  for (const [key, bytes] of makeArchive({ files: [{ path, content: 'alpha' }] }).objects) {
    mkdirSync(dirname(join(folder, name, key)), { recursive: true });
    writeFileSync(join(folder, name, key), bytes);
  }
}

beforeEach(async () => {
  folder = await tempFolder();
  mkdirSync(join(folder, 'photos'));
  writeFileSync(join(folder, 'photos/a'), 'alpha');
});

describe('a path is a store', () => {
  it('for writers and readers', async () => {
    expect(await run(['upload', 'photos', './store'])).toEqual(good);
    expect(await run(['sync', 'photos', join(folder, 'store')])).toEqual(good);
    expect(await run(['create', 'upload', 'photos', '--bucket', join(folder, 'store'), '--prefix', 'more'])).toEqual(
      good,
    );
    const upload = `./store/uploads/${uploadsIn('store')[0] ?? ''}`;

    const listed = await run(['list', upload, '--json']);
    expect(json(listed.stdout)).toMatchObject({ location: `file://${folder}/${upload.slice(2)}`, files: 1 });
    expect(await run(['restore', upload, 'out', '--all'])).toEqual(good);
    expect(await run(['dataset', 'list', './store'])).toEqual(good);
    expect(uploadsIn('store/more')).toHaveLength(1);
  });

  it('for --bucket of every command, relative ones too', async () => {
    const url = `file://${folder}/store`;
    const calls = [
      ['upload', 'photos', '-b', url, '-p', 'more'],
      ['create', 'upload', 'photos', '-b', './store', '-p', 'more', '--dry-run'],
      ['list', '-b', './store', '-p', 'more'],
      ['scuttle', '-b', './store', '-p', 'more', '--force'],
    ];

    for (const argv of calls) expect([argv, await run(argv)]).toEqual([argv, good]);
    expect(existsSync(join(folder, 'store/more/uploads'))).toBe(false);
  });

  it('also where the config file names the bucket, and config --validate-detailed looks there', async () => {
    writeStore('store/more');
    const looked = [];
    for (const storage of ['bucket: ./store, prefix: more', 'url: ./store/more', 'bucket: bad_bucket']) {
      writeFileSync(join(folder, '.archiver.yaml'), `storage: { ${storage} }\n`);
      looked.push((await run(['config', '--validate-detailed', '--json'])).stdout);
    }

    expect(looked.map((text) => json(text)['store'])).toEqual([
      { status: 'ok', detail: `file://${folder}/store/more answers and can be listed` },
      { status: 'ok', detail: `file://${folder}/store/more answers and can be listed` },
      { status: 'failed', detail: expect.stringContaining("'bad_bucket' is not a bucket name") as string },
    ]);
  });

  it('but a bare word is not', async () => {
    const { status, stderr } = await run(['upload', 'photos', 'store']);

    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('write ./store for a folder, s3://store for a bucket') as string,
    });
    expect(existsSync(join(folder, 'store'))).toBe(false);
  });
});

describe.each([
  ['ARCHIVER_STORE', undefined],
  ['storage.url', 'storage:\n  url: ./store\n'],
])('%s is the store where none is typed', (_, config) => {
  const env: Record<string, string> = {};
  beforeEach(() => {
    writeStore('store');
    if (config === undefined) env['ARCHIVER_STORE'] = './store';
    else writeFileSync(join(folder, '.archiver.yaml'), config);
  });

  it('of writers and readers', async () => {
    expect(await run(['sync', 'photos', '--dry-run'], env)).toEqual(good);
    for (const argv of [
      ['list', '--upload-id', UPLOAD_ID],
      ['info', '-u', UPLOAD_ID],
      ['verify', '-u', UPLOAD_ID],
      ['restore', 'out', '--all', '-u', UPLOAD_ID],
      ['dataset', 'list'],
      ['dvc', 'status', 'photos', '-u', UPLOAD_ID],
      ['shell', '-u', UPLOAD_ID, '-c', 'ls'],
    ])
      expect([argv, await run(argv, env)]).toEqual([argv, good]);
    expect(readdirSync(join(folder, 'out'))).toEqual(['a.txt']);
  });

  it('and what is typed wins over it', async () => {
    writeStore('other', 'b.txt');

    const url = `file://${folder}/other/uploads/${UPLOAD_ID}`;
    expect(await run(['download', './other', 'out', '-u', UPLOAD_ID], env)).toEqual(good);
    expect(await run(['list', '--bucket', join(folder, 'other'), '-u', UPLOAD_ID], env)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('b.txt') as string,
    });
    expect(await run(['restore', url, '--all'], env)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('OUTPUT_DIR (or --to-tar or --to-zip) is missing') as string,
    });
    expect(readdirSync(join(folder, 'out'))).toEqual(['b.txt']);
  });

  it('but never what scuttle deletes, nor what a shell without arguments opens', async () => {
    expect(await run(['scuttle', '--force'], env)).toMatchObject({ status: 2 });
    expect(uploadsIn('store')).toHaveLength(1);
    expect(await run(['shell', '-c', 'config --show'], env)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('url: ./store') as string,
    });
  });
});

it('a layer that names both a store and a bucket is refused with its name; a higher one wins', async () => {
  const both = await run(['list'], { ARCHIVER_STORE: './store', ARCHIVER_BUCKET: 'b' });
  writeFileSync(join(folder, '.archiver.yaml'), 'storage:\n  bucket: my-bucket\n  prefix: lab\n');
  const higher = await run(['dataset', 'list', '--json'], { ARCHIVER_STORE: './photos' });
  const planned = await run(['upload', 'photos', '--dry-run', '--json'], { ARCHIVER_STORE: './store' });

  expect(both).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('the URL comes from ARCHIVER_STORE; --bucket comes from ARCHIVER_BUCKET') as string,
  });
  expect(json(higher.stdout)).toMatchObject({ location: `file://${folder}/photos` });
  expect(json(planned.stdout)).toMatchObject({
    location: expect.stringContaining(`file://${folder}/store/`) as string,
  });
});

it('a store that is not named at all is asked for', async () => {
  const missing = await run(['sync', 'photos']);
  const misspelt = await run(['sync', 'photos'], { ARCHIVER_STORE: 'store' });
  writeFileSync(join(folder, '.archiver.yaml'), 'storage:\n  url: store\n');
  const checked = await run(['config', '--validate']);

  expect(missing).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/S3_URL \(or --bucket\) is missing[^]*ARCHIVER_STORE, or storage.url/) as string,
  });
  expect(misspelt).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/ARCHIVER_STORE wants a store URL[^]*write \.\/store for a folder/) as string,
  });
  expect(checked).toMatchObject({ status: 1, stdout: expect.stringContaining('storage.url') as string });
});
