import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { command } from '../../../src/commands/money/analyze.js';
import { beginMultipart } from '../../support/begin-multipart.js';
import { useBrokenS3 } from '../../support/broken-s3.js';
import { type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { openTestS3, useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';
import { tunnelTo } from '../../support/tunnel-to.js';
import { treeOf } from '../../support/tree-of.js';

const root = treeOf([command], [], 'analyze alone');
const GiB = 2 ** 30;
const NOW = new Date('2026-06-01T00:00:00Z');
const DAY = 86_400_000;
const broken = useBrokenS3();
let s3: MemoryS3;
let folder = '';

beforeAll(async () => {
  useTestCredentials();
  s3 = await startMemoryS3('lab');
});
afterAll(() => s3.close());
beforeEach(async () => {
  folder = await tempFolder();
  s3.buckets.set('lab', new Map());
  s3.requests.length = 0;
});

const run = (...typed: readonly (string | Record<string, string>)[]): Promise<CommandRun> => {
  const keys = { AWS_ACCESS_KEY_ID: 'archiver', AWS_SECRET_ACCESS_KEY: 'archiver-secret', NO_COLOR: '1' };
  const env = Object.assign(keys, ...typed.filter((one) => typeof one === 'object')) as Record<string, string>;
  const argv = typed.filter((one) => typeof one === 'string');
  return runCommand({ root, folder, env, now: () => NOW }, ['analyze', ...argv]);
};
const AWS_PRICES = ['--provider', 'aws', '--region', 'us-east-1'];
const analyze = (url: string, ...argv: string[]): Promise<CommandRun> =>
  run(url, '--endpoint-url', s3.endpoint, ...AWS_PRICES, ...argv);
const analyzed = async (url: string, ...argv: string[]): Promise<Record<string, unknown>> => {
  const { status, stdout, stderr } = await analyze(url, '--json', ...argv);
  expect(stderr).not.toContain('✗');
  expect(status).toBe(0);
  return json(stdout);
};

/** An object that is listed with this size, and has no content. */
function put(key: string, length: number, days: number, storageClass = 'STANDARD'): void {
  s3.buckets.get('lab')?.set(key, {
    body: { length } as Buffer,
    etag: 'e',
    modified: new Date(NOW.getTime() - days * DAY),
    headers: { 'x-amz-storage-class': storageClass },
  });
}

/** What keys below `prefix` hold. */
function expected(prefix = ''): { objects: number; bytes: number } {
  const own = [...(s3.buckets.get('lab') ?? [])].filter(([key]) => key.startsWith(prefix));
  return { objects: own.length, bytes: own.reduce((sum, [, { body }]) => sum + body.length, 0) };
}

describe('totals', () => {
  test('of several prefixes, one of them far larger than the others, by class, size and age', async () => {
    for (let n = 0; n < 2500; n++) put(`scans/2024/img_${n}.dcm`, 1000 + n, 400);
    for (const name of ['a', 'b', 'scans-2'])
      for (let n = 0; n < 10; n++) put(`${name}/${n}`, GiB, 50, n < 5 ? 'GLACIER' : 'STANDARD');
    put('top', 0, 0);
    put('neighbour', 131_072, 29);

    const found = await analyzed('s3://lab');

    expect(found).toMatchObject(expected());
    expect(found['storedClasses']).toMatchObject([
      { storageClass: 'STANDARD', objects: 2517, bytes: 15 * GiB + 131_072 + 2500 * 1000 + (2499 * 2500) / 2 },
      { storageClass: 'GLACIER', objects: 15, bytes: 15 * GiB },
    ]);
    expect(found['sizeBands']).toMatchObject([
      { fromBytes: 0, untilBytes: 131_072, objects: 2501 },
      { objects: 1, bytes: 131_072 },
      { objects: 0 },
      { objects: 0 },
      { objects: 0 },
      { fromBytes: GiB, untilBytes: null, objects: 30 },
    ]);
    expect((found['ageBands'] as { objects: number }[]).map(({ objects }) => objects)).toEqual([2, 30, 0, 0, 2500]);
    // 15 GiB and the small ones as STANDARD, 15 GiB as GLACIER with 32 KiB, and 8 KiB as STANDARD, for each object.
    const standard = (expected().bytes - 15 * GiB + 15 * 8192) / GiB;
    const glacier = 15 + (15 * 32_768) / GiB;
    expect(found['monthlyUsd']).toBeCloseTo(standard * 0.023 + glacier * 0.0036, 5);
  });

  test('of a prefix alone', async () => {
    for (const key of ['a/1', 'a/2', 'ab/3', 'b/4']) put(key, 100, 0);
    expect(await analyzed('s3://lab/a')).toMatchObject({ location: 's3://lab/a', objects: 2, bytes: 200 });
  });

  test('of an empty bucket are zero, and cost nothing', async () => {
    expect(await analyzed('s3://lab')).toMatchObject({ objects: 0, bytes: 0, monthlyUsd: 0, classSavings: [] });
  });

  test('of a server that is not AWS have no price unless it is said whose', async () => {
    put('a', GiB, 0);
    const { stdout } = await run('s3://lab', '--endpoint-url', s3.endpoint, '--json');
    expect(json(stdout)).toMatchObject({ objects: 1, monthlyUsd: null, provider: 'custom', isAws: false });
    const wasabi = await run('s3://lab', '--endpoint-url', s3.endpoint, '--provider', 'wasabi', '--json');
    // A full TB is billed.
    expect(Number(json(wasabi.stdout)['monthlyUsd'])).toBeGreaterThan(5);
  });

  test('of a service are its prices, which its address tells', async () => {
    put('a', 100 * 1e9, 0);
    const { proxy, hosts } = await tunnelTo(s3.endpoint);
    const at = ['--endpoint-url', 'http://s3.us-west-004.backblazeb2.com', '--json'];
    const { stdout } = await run({ http_proxy: proxy }, 's3://lab', ...at);
    const { stdout: told } = await run({ http_proxy: proxy }, 's3://lab', ...at, '--provider', 'custom');

    expect(hosts[0]).toBe('s3.us-west-004.backblazeb2.com:80');
    expect(s3.requests[0]?.headers.authorization).toContain('/us-west-004/s3/');
    // 10 GB of 100 are free.
    expect(json(stdout)).toMatchObject({ provider: 'b2', isAws: false, monthlyUsd: 0.6255 });
    expect(json(told)).toMatchObject({ provider: 'custom', monthlyUsd: null });
  });

  test('of a provider without a list are said to be unknown, and where they are said', async () => {
    put('a', GiB, 0);
    const { stdout } = await run('s3://lab', '--endpoint-url', s3.endpoint, '--provider', 'garage');

    expect(stdout).toContain('no list of Garage is here; costControl.ownPrices says them (docs/providers.md)');
  });

  test('of a store at AWS are those of AWS: another provider is refused before anything is listed', async () => {
    const { status, stderr } = await run('s3://lab', '--provider', 'wasabi');
    const folderRun = await run(`file://${folder}`, '--provider', 'wasabi');

    expect([status, stderr]).toEqual([2, expect.stringContaining('the store is at AWS, whose prices hold')]);
    expect([folderRun.status, folderRun.stderr]).toEqual([2, expect.stringContaining('--provider can do nothing for')]);
  });
});

describe('what plain listings do not show', () => {
  test('older versions and parts of unfinished uploads are in the cost, apart from the objects', async () => {
    put('data/a', GiB, 300);
    s3.keepVersions('lab');
    const { store } = await openTestS3(s3.endpoint, 'lab', { prefix: '' });
    await store.put('data/a', Buffer.from('new'));
    await store.put('data/b', Buffer.from('gone'));
    await store.delete(['data/b']);
    await beginMultipart(s3.endpoint, 's3://lab/data', 'big', ['12345', '678', '90']);

    const found = await analyzed('s3://lab/data');

    expect(found).toMatchObject({
      objects: 1,
      bytes: 3,
      versionsHidden: false,
      older: { objects: 2, bytes: GiB + 4, deleteMarkers: 1 },
      unfinished: { unfinishedMultiparts: 1, bytes: 10, staleMultiparts: 0, staleBytes: 0 },
    });
    expect(found['monthlyUsd']).toBeCloseTo(0.023, 5);
    const { stdout } = await analyze('s3://lab/data');
    expect(stdout).toContain('2 older versions, 1.0 GiB, $0.02 a month; 1 delete marker');
    expect(stdout).toContain('1 unfinished upload, 10 B');
  });
});

describe('what may not be listed', () => {
  const denied = (operation: string) => {
    broken.proxy.inject({ operation, fault: { kind: 'status', status: 403, code: 'AccessDenied' } });
  };
  const analyzeBroken = (...argv: string[]): Promise<CommandRun> =>
    run('s3://bucket/p', '--endpoint-url', broken.proxy.endpoint, ...AWS_PRICES, ...argv);

  test('is said, and objects are counted all the same', async () => {
    for (let n = 0; n < 1100; n++) broken.put(`d${n % 3}/${n}`, 'four');
    denied('ListObjectVersions');
    denied('ListMultipartUploads');

    const { status, stdout } = await analyzeBroken('--json');
    expect([status, json(stdout)]).toMatchObject([
      0,
      { objects: 1100, bytes: 4400, versionsHidden: true, older: null, unfinished: null },
    ]);
    const { stdout: text } = await analyzeBroken();
    expect(text).toContain('without some of what plain listings do not show');
    expect(text).toContain('not known: listing versions is denied (s3:ListBucketVersions)');
    expect(text).toContain('not known: listing unfinished uploads is denied (s3:ListBucketMultipartUploads)');
  });

  test('of unfinished uploads leaves their number', async () => {
    await beginMultipart(broken.server.endpoint, 's3://bucket/p', 'big', ['12345']);
    denied('ListParts');

    const { stdout } = await analyzeBroken('--json');
    expect(json(stdout)['unfinished']).toMatchObject({ unfinishedMultiparts: 1, bytes: null, monthlyUsd: null });
    expect((await analyzeBroken()).stdout).toContain('1 unfinished upload, size not known');
  });
});

describe('savings', () => {
  test('move what is large enough, and name the size', async () => {
    for (let n = 0; n < 500; n++) put(`small/${n}`, 10_000, 400);
    for (let n = 0; n < 100; n++) put(`large/${n}`, GiB, 400);

    const { stdout } = await analyze('s3://lab');

    expect(stdout).toMatch(/\nDEEP_ARCHIVE +1\.0 GiB and more +100 +100(\.0)? GiB/);
    expect(stdout).toContain('objects of 1.0 GiB and more to DEEP_ARCHIVE, for what is hardly ever read');
    expect(stdout).toContain('pays when kept for 180 days or more');
    const short = await analyze('s3://lab', '--no-show-savings');
    expect(short.stdout).not.toContain('DEEP_ARCHIVE');
    expect(await analyzed('s3://lab', '--no-show-savings')).not.toHaveProperty('classSavings');
  });

  test('say that nothing pays for small objects alone', async () => {
    for (let n = 0; n < 1500; n++) put(`small/${n}`, 10_000, 400);
    const { stdout } = await analyze('s3://lab');
    expect(stdout).toMatch(/\nDEEP_ARCHIVE +no size pays +0 /);
    expect(stdout).toContain('moving to another class saves nothing in the first year');
  });
});

describe('a sample', () => {
  test('lists some ranges, and says how far off it may be', async () => {
    for (let dir = 0; dir < 100; dir++)
      for (let n = 0; n < 5 + (dir % 7); n++) put(`d${dir}/${n}`, 1_000_000 + dir, 100);

    const found = await analyzed('s3://lab', '--sampling', '--sample-size', '200');

    const { objects, objectsError, rangesListed, rangeCount } = found['sampled'] as Record<string, number>;
    expect(rangeCount).toBe(101);
    expect(rangesListed).toBeLessThan(90);
    expect(objects).toBeGreaterThanOrEqual(200);
    expect(objectsError).toBeGreaterThan(0);
    // Five times as far as 95 of 100 are: chance does not go there.
    expect(Math.abs(Number(found['objects']) - expected().objects)).toBeLessThan(Number(objectsError) * 5);
    const { stdout } = await analyze('s3://lab', '--sampling', '--sample-size', '200');
    expect(stdout).toMatch(/about [\d,. ]+ objects, .*\n.*\n {2}sample .* of 101 ranges of keys.*\n {2}error +\+-/);
  });

  test('is exact where it has seen everything', async () => {
    for (let n = 0; n < 1200; n++) put(`flat-${n}`, n, 0);
    const found = await analyzed('s3://lab', '--sampling');
    expect(found).toMatchObject({ ...expected(), sampled: { objects: 1200, objectsError: 0, bytesError: 0 } });
  });

  test('has a size only where one is taken', async () => {
    const { status, stderr } = await analyze('s3://lab', '--sample-size', '5');
    expect([status, stderr]).toEqual([2, expect.stringContaining('--sampling')]);
  });
});

describe('a folder', () => {
  test('costs nothing', async () => {
    mkdirSync(join(folder, 'store', 'deep'), { recursive: true });
    writeFileSync(join(folder, 'store', 'deep', 'a'), '12345');
    writeFileSync(join(folder, 'store', 'b'), '1');
    const url = `file://${join(folder, 'store')}`;

    const { status, stdout } = await run(url, '--json');
    expect([status, json(stdout)]).toMatchObject([0, { objects: 2, bytes: 6, monthlyUsd: 0, classSavings: [] }]);
    expect((await run(url, '-f', 'json')).stdout).toContain('"storedClasses"');
    expect((await run(url)).stdout).toContain('none: a folder of this computer costs nothing');
  });

  test('that is not there is refused', async () => {
    const { status, stderr } = await run(`file://${join(folder, 'nowhere')}`);
    expect([status, stderr]).toEqual([1, expect.stringContaining('there is no folder')]);
  });
});

test('progress is shown, or not', async () => {
  put('a', 10, 0);
  expect((await analyze('s3://lab')).stderr).toMatch(/ analyze s3:\/\/lab\n.* analyze done after .*: 1 object, 10B\n/);
  expect((await analyze('s3://lab', '--no-progress')).stderr).toBe('');
});
