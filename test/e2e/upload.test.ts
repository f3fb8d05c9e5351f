// `archiver upload` as a process: what it prints, records, refuses, and leaves alone.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadCodec } from '../../src/core/platform/codec/codec.js';
import { MIB, noise } from '../core/archive/trees.js';
import { tempFolder } from '../support/temp-folder.js';
import { untilNoted } from '../support/until-noted.js';
import {
  archiver,
  CLI,
  filesBelow,
  type JsonEntry,
  type JsonManifest,
  makeFolder,
  missingTools,
  onlyUpload,
  readManifest,
  uploadJson,
} from './upload-cli.js';

const WRITES_WHILE_READ = new URL('../support/write-while-read.mjs', import.meta.url);

async function withSource() {
  const home = await tempFolder();
  const source = makeFolder(home, 'source', 'sub');
  writeFileSync(join(source, 'a.txt'), 'hello\n');
  writeFileSync(join(source, 'b.bin'), noise(200_000));
  return { home, source: join(home, 'source'), base: join(home, 'store'), url: `file://${join(home, 'store')}` };
}

/** The bytes that a manifest says are an entry's, from the chunks. */
function storedContent(upload: string, manifest: JsonManifest, entry: JsonEntry): Buffer {
  const rawOf = (number: number): Buffer => {
    const chunk = manifest.chunks[number];
    if (chunk === undefined) throw new Error('no such chunk');
    const stored = readFileSync(join(upload, chunk.key));
    let at = 0;
    return Buffer.concat(
      chunk.frames.map(({ size, rawSize }) => {
        const raw = Buffer.alloc(rawSize);
        loadCodec().decompressFrame(raw, stored.subarray(at, at + size));
        at += size;
        return raw;
      }),
    );
  };
  const { chunk = 0, offset = 0, size = 0, segments = [{ chunk, offset, size }] } = entry;
  return Buffer.concat(segments.map((s) => rawOf(s.chunk).subarray(s.offset, s.offset + s.size)));
}

test('--frame-size 0 stores each chunk as one frame, however large, and all of it comes back', async () => {
  const { home, source, url } = await withSource();
  for (const name of ['c', 'd', 'e']) writeFileSync(join(source, name), noise(7 * MIB));
  writeFileSync(join(source, 'cut'), noise(45 * MIB));

  const { status, document } = await uploadJson(home, [source, url, '--frame-size', '0']);
  const restored = await archiver(home, ['restore', document.location, join(home, 'out'), '--all']);

  expect([status, restored.status]).toEqual([0, 0]);
  expect(spawnSync('diff', ['-r', source, join(home, 'out')], { encoding: 'utf8' })).toMatchObject({
    status: 0,
    stdout: '',
  });
});

describe('output', () => {
  test('--json has the pinned keys, and the store what they say', async () => {
    const { home, source, base, url } = await withSource();

    const { status, stdout, document } = await uploadJson(home, [source, url]);

    expect([status, stdout.trim().split('\n').length]).toEqual([0, 1]);
    const pinned =
      'uploadId location manifestKey datasetId version files bytes storedBytes chunks skipped durationMs requests';
    expect(Object.keys(document)).toEqual(expect.arrayContaining(pinned.split(' ')));
    expect(Object.keys(document.requests).sort()).toEqual(['copy', 'delete', 'get', 'head', 'list', 'other', 'put']);
    for (const count of Object.values(document.requests)) expect(typeof count).toBe('number');
    expect(document).toMatchObject({
      version: 1,
      files: 2,
      bytes: 200_006,
      skipped: [],
      location: `${url}/uploads/${document.uploadId}`,
      manifestKey: `uploads/${document.uploadId}/manifest.json.gz`,
      requests: { put: document.chunks + 2, get: 0, head: 0, delete: 0, copy: 0 },
    });
    const stored = filesBelow(base).filter((file) => file.endsWith('.tar.zst'));
    expect(stored).toHaveLength(document.chunks);
    expect(stored.reduce((sum, file) => sum + readFileSync(join(base, file)).length, 0)).toBe(document.storedBytes);
    expect(readManifest(onlyUpload(base)).totals).toMatchObject({
      entries: 3,
      files: 2,
      directories: 1,
      bytes: 200_006,
    });
  });

  test('the text ends with where it is and how to get it back', async () => {
    const { home, source, url } = await withSource();

    const { status, stdout, stderr } = await archiver(home, ['upload', source, url, '--progress-format', 'none']);

    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${url}/uploads/`);
    expect(stdout).toMatch(/ v1$/m);
    expect(stdout).toContain('2 files');
  });

  test('--quiet says nothing beside the result', async () => {
    const { home, source, url } = await withSource();

    expect((await archiver(home, ['upload', source, url, '--quiet'])).stderr).toBe('');
  });

  test('--dry-run plans and writes nothing', async () => {
    const { home, source, base, url } = await withSource();

    const json = await uploadJson(home, [source, url, '--dry-run']);
    const text = await archiver(home, ['upload', source, url, '--dry-run', '--quiet']);

    expect([json.status, text.status]).toEqual([0, 0]);
    expect(json.document).toMatchObject({ version: null, files: 2, bytes: 200_006, storedBytes: 0 });
    expect(text.stdout).toContain('Nothing was written (--dry-run).');
    expect(existsSync(base)).toBe(false);
  });

  test('each upload of a folder is the next version of the same dataset', async () => {
    const { home, source, base, url } = await withSource();

    const first = await uploadJson(home, [source, url]);
    const second = await uploadJson(home, [`${source}/../source/.`, url]);

    expect(second.document).toMatchObject({ version: 2, datasetId: first.document.datasetId });
    expect(filesBelow(join(base, 'datasets', first.document.datasetId))).toEqual(['v00000001.json', 'v00000002.json']);
  });
});

describe('what is recorded', () => {
  test('--tag, --project, --writer-id and the settings', async () => {
    const { home, source, base, url } = await withSource();
    const flags = ['--tag', 'grant=R01', '--tag', 'note=a=b', '--project', 'p-1', '--writer-id', 'lab.pc-1'];

    const { status, document } = await uploadJson(home, [
      source,
      url,
      ...flags,
      '--compression-level',
      '7',
      '--shard-count',
      '5',
    ]);

    expect(status).toBe(0);
    const manifest = readManifest(onlyUpload(join(base, 'writers', 'lab.pc-1')));
    expect(manifest).toMatchObject({
      writerId: 'lab.pc-1',
      project: 'p-1',
      tags: { grant: 'R01', note: 'a=b' },
      settings: {
        shardCount: 5,
        shardStrategy: 'round-robin',
        compression: { algorithm: 'zstd', level: 7 },
        frameSize: 16 * MIB,
      },
      storage: { folder: join(base, 'writers', 'lab.pc-1') },
    });
    expect(manifest.chunks.every(({ level }) => level === 7)).toBe(true);
    expect(document.location).toBe(`${url}/writers/lab.pc-1/uploads/${document.uploadId}`);
  });

  test('--writer-id auto is the same at every run', async () => {
    const { home, source, url } = await withSource();

    const first = await uploadJson(home, [source, url, '--writer-id', 'auto']);
    const second = await uploadJson(home, [source, url, '--writer-id', 'auto']);

    expect(first.document.location).toMatch(/\/writers\/[a-z0-9._-]+-[0-9a-f]{8}\/uploads\//);
    expect(second.document).toMatchObject({ version: 2, datasetId: first.document.datasetId });
  });

  test('--no-file-checksums leaves the MD5 out', async () => {
    const { home, source, base, url } = await withSource();

    await uploadJson(home, [source, url, '--no-file-checksums']);

    const manifest = readManifest(onlyUpload(base));
    expect(manifest.settings['fileChecksums']).toBe(false);
    expect(manifest.files.some(({ md5 }) => md5 !== undefined)).toBe(false);
  });

  test('--frame-size cuts chunks into frames, 0 does not', async () => {
    const { home, source, base, url } = await withSource();
    writeFileSync(join(source, 'c'), noise(3 * MIB));

    await uploadJson(home, [source, url, '--frame-size', '0', '--writer-id', 'whole']);
    await uploadJson(home, [source, url, '--frame-size', '64KiB', '--writer-id', 'small']);

    const whole = readManifest(onlyUpload(join(base, 'writers/whole'))).chunks;
    const small = readManifest(onlyUpload(join(base, 'writers/small'))).chunks;
    expect(whole.map(({ frames }) => frames.length)).toEqual(whole.map(() => 1));
    expect(small.flatMap(({ frames }) => frames).every(({ rawSize }) => rawSize <= 65_536)).toBe(true);
    expect(small.reduce((sum, { frames }) => sum + frames.length, 0)).toBeGreaterThan(48);
  });

  test.each(['4', '32'])('--shard-count %s spreads the chunks over so many prefixes', async (count) => {
    const { home, source, base, url } = await withSource();
    for (let index = 0; index < 40; index++) writeFileSync(join(source, `f${index}`), noise(100_000));

    await uploadJson(home, [source, url, '--shard-count', count]);

    const manifest = readManifest(onlyUpload(base));
    expect(manifest.shards).toHaveLength(Number(count));
    for (const { key, shard } of manifest.chunks)
      expect(key).toMatch(new RegExp(`^shard-${String(shard).padStart(2, '0')}/chunk-`));
  });

  test('without a level each chunk gets the one of its content', async () => {
    const { home, source, base, url } = await withSource();
    writeFileSync(join(source, 'sub', 'text.log'), 'a line of a log file, quite like the others\n'.repeat(10_000));
    writeFileSync(join(source, 'noise.bin'), noise(500_000));

    await uploadJson(home, [source, url, '--shard-strategy', 'type']);

    const { chunks, files, settings } = readManifest(onlyUpload(base));
    const levelOf = (path: string) => chunks[files.find((entry) => entry.path === path)?.chunk ?? -1]?.level;
    expect(settings['compression']).toEqual({ algorithm: 'zstd', level: null });
    expect([levelOf('sub/text.log'), levelOf('noise.bin')]).toEqual([9, 1]);
  });

  test('the effective compression is reported at the start', async () => {
    const { home, source, url } = await withSource();

    const fixed = await archiver(home, [
      'upload',
      source,
      url,
      '--compression-level',
      '12',
      '--progress-format',
      'json',
    ]);
    const byContent = await archiver(home, ['upload', source, url, '--progress-format', 'json']);

    expect(fixed.stderr).toContain('zstd level 12 (best, band 10+)');
    expect(byContent.stderr).toContain('content-aware');
  });

  test('without libc the upload works, says what it loses, and keeps nanoseconds of files', async () => {
    const { home, source, base, url } = await withSource();
    symlinkSync('a.txt', join(source, 'link'));

    const { status, stderr } = await archiver(home, ['upload', source, url, '--progress-format', 'text'], {
      env: { ARCHIVER_NO_LIBC: '1' },
    });

    expect(status).toBe(0);
    expect(stderr).toContain('extended attributes and holes of sparse files are not kept');
    const manifest = readManifest(onlyUpload(base));
    for (const entry of manifest.files.filter(({ md5 }) => md5 !== undefined)) {
      const content = storedContent(onlyUpload(base), manifest, entry);
      expect(createHash('md5').update(content).digest('hex')).toBe(entry.md5);
    }
    expect(manifest.totals).toMatchObject({ files: 3, symlinks: 1 });
  });
});

describe('refusals', () => {
  test('a source that does not exist fails', async () => {
    const { home, url } = await withSource();

    const { status, stderr } = await archiver(home, ['upload', join(home, 'gone'), url]);

    expect(status).toBe(1);
    expect(stderr).toContain('does not exist');
  });

  test('the source folder itself is no destination', async () => {
    const { home, source } = await withSource();

    const { status, stderr } = await archiver(home, ['upload', source, `file://${source}`]);

    expect(status).toBe(2);
    expect(stderr).toContain('the destination is the source folder itself');
    expect(existsSync(join(source, 'uploads'))).toBe(false);
  });

  test('with --json a failure is one document', async () => {
    const { home, url } = await withSource();

    const { status, stdout } = await archiver(home, ['upload', join(home, 'gone'), url, '--json', '--quiet']);

    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'not-found' } });
  });

  test('a destination that cannot be written fails and says where', async () => {
    const { home, source } = await withSource();
    writeFileSync(join(home, 'file'), '');

    const { status, stderr } = await archiver(home, ['upload', source, `file://${home}/file/store`]);

    expect(status).toBe(1);
    expect(stderr).toContain(`${home}/file`);
    expect(stderr).not.toContain('at ');
  });
});

describe('a running upload', () => {
  test('a file that is written to all the time is named, and its entry is true', async () => {
    const { home, source, base, url } = await withSource();
    const file = join(source, 'growing.log');
    writeFileSync(file, noise(12 * MIB));
    const env = { NODE_OPTIONS: `--import=${WRITES_WHILE_READ.href}`, ARCHIVER_TEST_GROWING: file };

    const { status, document } = await uploadJson(home, [source, url, '--frame-size', '1MiB'], { env });

    expect(status).toBe(3);
    expect(document.skipped).toEqual([{ path: 'growing.log', reason: 'changed while it was being read' }]);
    const manifest = readManifest(onlyUpload(base));
    const entry = manifest.files.find(({ path }) => path === 'growing.log') as JsonEntry;
    const content = storedContent(onlyUpload(base), manifest, entry);
    expect(entry).toMatchObject({ changed: true, size: content.length });
    expect(entry.md5).toBe(createHash('md5').update(content).digest('hex'));
    expect(content.length).toBeGreaterThanOrEqual(12 * MIB);
  });

  /** An upload under way, one chunk of which is in the store and acknowledged. */
  async function underWay(...flags: readonly string[]) {
    const { home, source, base, url } = await withSource();
    for (let index = 0; index < 12; index++) writeFileSync(join(source, `n${index}`), noise(2 * MIB));
    const child = spawn(process.execPath, [CLI, 'upload', source, url, '--limit-upload', '3MiB', ...flags], {
      env: { PATH: process.env['PATH'] ?? '', HOME: home },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said += text.toString()));
    await untilNoted(join(home, '.archiver', 'state'));
    const ended = new Promise<number | null>((resolve) => void child.on('exit', resolve));
    return { base, child, ended, said: () => said };
  }

  test('Ctrl+C ends it with 130 and keeps what was sent for a resume', async () => {
    const { base, child, ended, said } = await underWay('--progress-format', 'json');

    child.kill('SIGINT');

    expect(await ended).toBe(130);
    expect(filesBelow(base).filter((name) => name.endsWith('.gz') || name.endsWith('.json'))).toEqual([]);
    expect(said()).toMatch(/what was sent is kept .*archiver resume \d{8}-/);
  });

  test('a second Ctrl+C ends it at once and says what is kept and how it goes on', async () => {
    const { child, ended, said } = await underWay('--progress-format', 'json');

    child.kill('SIGINT');
    await expect.poll(said).toContain('"isStopping":true');
    child.kill('SIGINT');

    expect(await ended).toBe(130);
    expect(said()).toMatch(
      /what was sent is kept \(\d+ chunks?, .*`archiver resume \d{8}-\d{6}-[0-9a-f]{8}` continues/,
    );
  });

  const noTime = missingTools('/usr/bin/time');
  if (noTime.length > 0) process.stderr.write('left out: peak memory of an upload (needs /usr/bin/time)\n');

  test.skipIf(noTime.length > 0).each([
    ['512MiB', 512],
    ['192MiB', 192],
  ])('--memory-limit %s holds', async (limit, mostMiB) => {
    const { home, source, url } = await withSource();
    for (let index = 0; index < 3; index++) writeFileSync(join(source, `large${index}`), noise(80 * MIB));
    mkdirSync(join(source, 'many'));
    for (let index = 0; index < 3000; index++)
      writeFileSync(join(source, 'many', `f${index}`), `file ${index}\n`.repeat(50));

    const args = [
      '-f',
      '%M',
      process.execPath,
      CLI,
      'upload',
      source,
      url,
      '--limit-upload',
      '100MiB', // so that chunks have to wait
      '--memory-limit',
      limit,
      '--quiet',
      '--json',
    ];
    const { status, stderr } = spawnSync('/usr/bin/time', args, {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', HOME: home },
    });

    expect(status).toBe(0);
    expect(Number(stderr.trim()) / 1024).toBeLessThan(mostMiB);
  });
});
