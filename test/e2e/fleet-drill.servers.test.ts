// What goes wrong on one of three agents on Ceph: what its exit status, its heartbeat, `fleet status`, `fleet monitor`, the text file and the
// alert say, and that the other two stay well.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { noise } from '../core/archive/trees.js';
import { startKmsServer } from '../support/kms-server.js';
import { tempFolder } from '../support/temp-folder.js';
import { expectStatuses, fill, FILES, fleet, makeBucket, troubled, WELL, writeOnly } from './drilled-fleet.js';
import { archiver, type Ran } from './upload-cli.js';

const TIMEOUT_MS = 900_000;
const HOUR_MS = 3_600_000;

beforeAll(makeBucket);

test('a source that is not what it was', { timeout: TIMEOUT_MS }, async () => {
  const { a, ends, seen } = await fleet();
  const { source } = a;
  const clear = (keep: number): void =>
    readdirSync(source)
      .slice(keep)
      .forEach((name) => rmSync(join(source, name)));

  expect(await seen('a')).toMatchObject(WELL);
  clear(0);
  await ends([4], ['source-empty']);
  rmSync(source, { recursive: true });
  await ends([1], ['source-empty']);
  fill(source);
  clear(3);
  await ends([3], ['source-shrunk']);
  fill(source);
  renameSync(source, `${source}-2`);
  symlinkSync(`${source}-2`, source);
  await ends([4], ['source-moved']);
  rmSync(source);
  renameSync(`${source}-2`, source);
  await ends([0]);

  for (const name of readdirSync(source)) {
    rmSync(join(source, name));
    writeFileSync(join(source, `${name}.locked`), noise(2000));
  }
  await ends([3, 3], ['mass-change']);
  await a.publish(2);
  await ends([0]);
});

test(
  'files that are encrypted where they are, and how many of them a signed config lets change',
  { timeout: TIMEOUT_MS },
  async () => {
    const { a, ends } = await fleet();
    const encrypt = (files: number): void =>
      readdirSync(a.source)
        .slice(0, files)
        .forEach((name) => writeFileSync(join(a.source, name), noise(6000)));
    await a.publish(2, 'max_changed_percent: 90');
    await ends([0]);
    encrypt(FILES * 0.8);
    await ends([0]);
    encrypt(FILES * 0.95);
    expect(await ends([3, 3], ['mass-change'])).toContain('95 % of its files were changed and no longer compress');
    await a.publish(3, 'max_changed_percent: 100');
    await ends([0]);
    encrypt(FILES);
    await ends([0]);
  },
);

test('a path on which another file system is mounted', { timeout: TIMEOUT_MS }, async ({ skip }) => {
  const mount = (folder: string) => spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]);
  const tried = await tempFolder();
  skip(mount(tried).status !== 0, 'nothing can be mounted here: that takes root');
  spawnSync('umount', [tried]);
  const { a, ends } = await fleet();
  onTestFinished(() => void spawnSync('umount', [a.source]));

  expect(mount(a.source).status).toBe(0);
  await ends([4], ['source-moved']);
  fill(a.source);
  const text = await ends([4], ['source-moved']);
  expect(text).toContain(`${a.source}: it lies on the file system at ${a.source} (type 0x1021994), and lay on`);
  spawnSync('umount', [a.source]);
  await ends([0]);

  expect(mount(a.source).status).toBe(0);
  fill(a.source);
  const refused = await a.cycle();
  expectStatuses([refused], [4]);
  expect(refused.stderr).toContain('`may_move: true` in it, with `allow_scope_expansion: true`, allows it for good');
  await a.publish(2, 'may_move: true');
  expect(await ends([4], ['config-refused', 'source-moved'])).toContain('may_move is turned on');
  await a.publish(3, 'may_move: true\nallow_scope_expansion: true');
  await ends([0]);
});

test('a dataset that stopped, and another that began', { timeout: TIMEOUT_MS }, async () => {
  const { a, base, ends, seen, store, records } = await fleet();
  const [record = ''] = await records();
  await store.delete([record]);
  expectStatuses([await a.cycle()], [4]);
  const stopped = await seen('a');
  expect(stopped).toMatchObject({ ...troubled(), condition: 'unknown' });
  expect(stopped.text).toMatch(
    /is v1 of (a-data-[0-9a-f]{8}), and there is no version of that; .*this computer knows version 1 of dataset \1/,
  );

  // An encrypted dataset has another id, which an agent goes on with.
  const kms = await startKmsServer();
  onTestFinished(async () => await kms.close());
  const env = { AWS_ENDPOINT_URL_KMS: kms.endpoint };
  const encrypted = ['--writer-id', 'a', '--kms-key-id', 'testkey-1', '--encrypt-manifest', '--quiet'];
  const uploaded = await archiver(a.home, ['upload', a.source, base, ...encrypted], {
    env: { ...a.env, ...env },
  });
  expectStatuses([uploaded], [0]);
  const text = await ends([3, 3], ['dataset-changed'], env);
  expect(text).toMatch(/dataset a-data-[0-9a-f]{8} stopped, and data-[0-9a-f]{8} began/);
  expect(await a.adopt()).toBe(0);
  await ends([0], [], env);
});

test('a config that is refused, and a clock that is an hour off', { timeout: TIMEOUT_MS }, async () => {
  const { a, ends, seen, above } = await fleet();
  await a.publish(5);
  await ends([0]);
  await a.publish(4);
  expect(await ends([3], ['config-refused'])).toContain('version 4, and 5 was in use');
  await a.publish(6);

  const clock = (offMs: number) => {
    const file = join(above, `clock${offMs}.mjs`);
    writeFileSync(
      file,
      `const now = Date.now, off = ${offMs};
       globalThis.Date = class extends Date {
         constructor(...given) { given.length === 0 ? super(now() + off) : super(...given); }
         static now() { return now() + off; }
       };`,
    );
    return { NODE_OPTIONS: `--import file://${file}` };
  };
  const late = await ends([3], ['clock-skewed'], clock(-HOUR_MS));
  expect(late).toContain("its clock is 60 minutes behind the store's");
  await ends([0]);
  expectStatuses([await a.cycle(clock(HOUR_MS))], [3]);
  const early = await seen('a');
  expect(early).toMatchObject({ ...troubled('clock-skewed'), condition: 'unknown' });
  expect(early.text).toContain("its clock is 1h ahead of the store's");
  await ends([0]);
});

test('what is sent again: a forged record, another address, a lost cache', { timeout: TIMEOUT_MS }, async () => {
  const { a, ends, store, records } = await fleet();
  const forge = async (version: number): Promise<void> => {
    const [key = ''] = await records();
    await store.put(key.replace(/v\d{8}/, `v${String(version).padStart(8, '0')}`), Buffer.from('{"format":1}'));
  };
  await forge(2);
  await ends([3], ['sent-again']);
  await forge(9);
  await ends([4, 4], ['sent-again', 'held']);
  expect(await records()).toHaveLength(4);
  expect(await a.adopt()).toBe(0);
  await ends([0]);

  const address = { AWS_ENDPOINT_URL: (await writeOnly()).endpoint };
  await ends([3, 3], ['endpoint-changed', 'sent-again'], address);
  expect(await a.adopt()).toBe(0);
  await ends([0], [], address);

  rmSync(join(a.home, '.archiver', 'manifest-cache'), { recursive: true });
  await ends([3, 3], ['sent-again'], address);
  await a.publish(2);
  await ends([0], [], address);
});

test('two clones', { timeout: TIMEOUT_MS }, async () => {
  const { a, above, seen, records } = await fleet();
  const clone = join(above, 'clone');
  cpSync(a.home, clone, { recursive: true });
  const before = (await records()).length;
  const ran: Ran[] = [];
  for (let at = 0; at < 5; at++)
    for (const home of [a.home, clone]) {
      writeFileSync(join(a.source, 'log'), `${home} ${at}`);
      ran.push(await a.cycle({}, home));
    }
  expectStatuses(ran, [0, 3, 3, 4, 3, 4, 3, 4, 3, 4]);
  expect(await records()).toHaveLength(before + 6);
  expect(await seen('a')).toMatchObject(troubled('sent-again', 'held'));
});
