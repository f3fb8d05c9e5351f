// `archiver serve` and `archiver mount`, read by programs that others have written: curl, rclone, davfs2 and a browser.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { differentRanges } from '../commands/serve/random-ranges.js';
import { notOnPath } from '../servers/serve.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './in-process.js';

const run = promisify(execFile);
const CLI = join(import.meta.dirname, '../../dist/cli.js');
const ODD = '<img src=x onerror="document.title=1">.html';

/** A home with a store, and what was archived. */
async function made() {
  const home = await tempFolder();
  const data = join(home, 'data');
  mkdirSync(join(data, 'sub'), { recursive: true });
  writeFileSync(join(data, 'large'), randomBytes(12_000_000));
  writeFileSync(join(data, 'sub', 'a #?%.txt'), 'text\n'.repeat(5000));
  writeFileSync(join(data, ODD), '<script>document.title = "run"</script><h1>shown</h1>');
  symlinkSync('large', join(data, 'link'));
  expect((await archiver(home, ['upload', 'data', './store', '--dataset-id', 'd'])).status).toBe(0);
  return { home, data };
}

/** Starts the program; resolves with the first line that it prints. */
async function started(home: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: home,
    env: { ...process.env, HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  const ended = once(child, 'exit').then(([status]) => status as number | null);
  const stop = async (): Promise<number | null> => {
    child.kill('SIGINT');
    return await ended;
  };
  onTestFinished(async () => void (await stop()));
  const first = once(child.stdout, 'data').then(([data]) => String(data).trim());
  const line = await Promise.race([first, ended.then((status) => Promise.reject(new Error(`${status}: ${said}`)))]);
  return { line, ended, stop, said: () => said };
}

const noFuse = existsSync('/dev/fuse') ? undefined : 'there is no /dev/fuse';

describe('serve', () => {
  test('gives 1,000 random ranges as a restore has them', async () => {
    const { home } = await made();
    const { line, stop } = await started(home, 'serve', './store', '--quiet');
    await archiver(home, ['restore', './store', 'out', '--all']);
    const files = new Map(
      ['large', 'sub/a%20%23%3F%25.txt'].map((path) => [
        path,
        readFileSync(join(home, 'out', decodeURIComponent(path))),
      ]),
    );

    expect(await differentRanges(`${line}by-dataset/d/latest/`, files, 1_000)).toEqual([]);
    expect(await stop()).toBe(0);
  });

  test.skipIf(notOnPath('curl'))('continues a download of curl, and gives it nothing without the token', async () => {
    const { home, data } = await made();
    const { line } = await started(home, 'serve', './store', '--token', 'auto');
    const [url = '', token = ''] = line.split('?token=');
    const file = `${url}by-dataset/d/latest/large`;
    writeFileSync(join(home, 'got'), readFileSync(join(data, 'large')).subarray(0, 5_000_000));

    await expect(run('curl', ['-sf', file])).rejects.toMatchObject({ code: 22 });
    await run('curl', ['-sf', '-C', '-', '-u', `me:${token}`, '-o', join(home, 'got'), file]);
    expect(readFileSync(join(home, 'got')).equals(readFileSync(join(data, 'large')))).toBe(true);
  });

  test.skipIf(notOnPath('rclone'))('is a WebDAV server to rclone, which copies and compares all of it', async () => {
    const { home, data } = await made();
    const { line } = await started(home, 'serve', './store', '--webdav', '--token', 'auto');
    const [url = '', token = ''] = line.split('?token=');
    const env = {
      ...process.env,
      HOME: home,
      RCLONE_CONFIG_A_TYPE: 'webdav',
      RCLONE_CONFIG_A_VENDOR: 'other',
      RCLONE_CONFIG_A_URL: url,
      RCLONE_CONFIG_A_BEARER_TOKEN: token,
    };
    const rclone = async (...args: string[]) => (await run('rclone', ['--config=', ...args], { env })).stdout;

    expect((await rclone('lsf', '-R', 'A:by-dataset/d/v0001')).split('\n').sort()).toEqual([
      '',
      ODD,
      'large',
      'sub/',
      'sub/a #?%.txt',
    ]);
    await rclone('copy', 'A:by-dataset/d/latest', join(home, 'copied'));
    await run('diff', ['-r', '--exclude=link', data, join(home, 'copied')]);
    await expect(rclone('touch', 'A:by-dataset/new')).rejects.toThrow('405');
  });

  test.skipIf(notOnPath('chromium'))('is shown by a browser, in which a page of the archive runs nothing', async () => {
    const { home } = await made();
    const { line } = await started(home, 'serve', './store', '--token', 'auto');
    const [url = '', token = ''] = line.split('?token=');
    const dom = async (path: string): Promise<string> => {
      const flags = [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        `--user-data-dir=${join(home, 'browser')}`,
        '--dump-dom',
      ];
      return (await run('chromium', [...flags, `${url}${path}?token=${token}`], { timeout: 120_000 })).stdout;
    };

    const page = await dom('by-dataset/d/latest/');
    expect(page).toContain('&lt;img src=x');
    expect(page).not.toContain('<title>1</title>');
    const shown = await dom(`by-dataset/d/latest/${encodeURIComponent(ODD)}`);
    expect(shown).toContain('<h1>shown</h1>');
    expect(shown).not.toContain('<title>');
  });
});

describe('mount', () => {
  test.skipIf(notOnPath('rclone') ?? notOnPath('fusermount3') ?? noFuse)(
    'has rclone mount it, and unmounts at Ctrl+C',
    async () => {
      const { home, data } = await made();
      mkdirSync(join(home, 'mounted'));
      const { line, stop } = await started(home, 'mount', './store', 'mounted', '--by', 'rclone');
      const latest = join(line, 'by-dataset', 'd', 'latest');

      await run('diff', ['-r', '--exclude=link', data, latest]);
      expect(() => writeFileSync(join(latest, 'new'), '')).toThrow('EROFS');
      expect([await stop(), readdirSync(line)]).toEqual([0, []]);
    },
  );

  test.skipIf(notOnPath('rclone') ?? notOnPath('fusermount3') ?? noFuse)(
    'ends when somebody else unmounts it',
    async () => {
      const { home } = await made();
      mkdirSync(join(home, 'mounted'));
      const { line, ended, said } = await started(home, 'mount', './store', 'mounted', '--by', 'rclone');
      await run('fusermount3', ['-u', line]);
      expect(await ended).toBe(0);
      expect(said()).toContain('was unmounted');
    },
  );

  test.skipIf(process.getuid?.() !== 0 || (notOnPath('mount.davfs') ?? noFuse))(
    'has davfs2 mount it, and unmounts at Ctrl+C',
    async () => {
      const { home, data } = await made();
      mkdirSync(join(home, 'mounted'));
      const { line, stop } = await started(home, 'mount', './store', 'mounted', '--by', 'davfs2');

      // Its listings fail on newer kernels, whatever the server.
      const large = readFileSync(join(line, 'by-dataset', 'd', 'latest', 'large'));
      expect(large.equals(readFileSync(join(data, 'large')))).toBe(true);
      expect([await stop(), readdirSync(line)]).toEqual([0, []]);
    },
  );
});
