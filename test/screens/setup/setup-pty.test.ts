// `archiver setup` as a person has it: the built program in a real terminal, on a folder and on a server of S3.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { archiver, CLI } from '../../e2e/upload-cli.js';
import { startFaultProxy } from '../../faults/fault-proxy.js';
import { startMemoryS3 } from '../../support/memory-s3.js';
import { tempFolder } from '../../support/temp-folder.js';
import { openSession, type TerminalSession } from '../../support/terminal-session.js';

const DOWN = '\u001b[B';
const RIGHT = '\u001b[C';
const ESC = '\u001b';
const CLEAR_LINE = '\u0015';

let home = '';

beforeEach(async () => {
  home = await tempFolder();
});

function setup(argv: readonly string[] = [], env: Readonly<Record<string, string>> = {}): TerminalSession {
  const own = { HOME: home, ARCHIVER_HOME: join(home, '.archiver'), AWS_EC2_METADATA_DISABLED: 'true' };
  return openSession([CLI, 'setup', ...argv], { cwd: home, env: { ...own, ...env } });
}

/** The work of a step is over: it may be left. */
const ready =
  (text: string) =>
  (lines: readonly string[]): boolean =>
    [text, 'enter next'].every((one) => lines.some((line) => line.includes(one)));

const config = (): string => readFileSync(join(home, '.archiver.yaml'), 'utf8');

describe('archiver setup in a terminal', () => {
  it('makes a folder the store, with Esc on the way, and what it says to type next works', async () => {
    const session = setup();
    await session.until('Where do archives go?');
    session.type('\r');
    await session.until('In which folder?');
    session.type(`${CLEAR_LINE}${home}/störe`);
    await session.until(`${home}/störe`);
    session.type(ESC);
    await session.until('Where do archives go?');
    session.type('\r');
    await session.until(`${home}/störe`);
    session.type('\r');
    await session.until(ready('it is deleted'));
    session.type('\r');
    await session.until('How are uploads made?');
    session.type(`${DOWN}${RIGHT}${RIGHT}`);
    await session.until('zstd 3');
    session.type('\r');
    await session.until(ready('objects are deleted again'));
    session.type('\r');
    await session.until('Make this file?');
    await session.until(`+   url: file://${home}/störe`);
    expect(existsSync(join(home, '.archiver.yaml'))).toBe(false);
    session.type('\r');
    await session.until('Ready. What to type next:');
    session.type('\r');

    expect(await session.exited).toBe(0);
    expect(await session.isAlternate()).toBe(false);
    expect((await session.screen()).join('\n')).toContain('archiver upload ./FOLDER --dry-run');
    expect(config()).toContain(`storage:\n  url: file://${home}/störe\ndefaults:\n  compressionLevel: 3\n`);
    expect(statSync(join(home, '.archiver.yaml')).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(home, 'störe'))).toEqual([]);
    mkdirSync(join(home, 'FOLDER'));
    writeFileSync(join(home, 'FOLDER/file'), 'content');
    const uploaded = await archiver(home, ['upload', './FOLDER'], { cwd: home, env: { HOME: home } });
    expect([uploaded.status, uploaded.stderr.includes('error')]).toEqual([0, false]);
    expect(readdirSync(join(home, 'störe'))).toContain('uploads');
  });

  it('on S3: names the action that is denied, takes typed keys to the AWS files, and writes when it is allowed', async () => {
    const server = await startMemoryS3('lab');
    const proxy = await startFaultProxy(server.endpoint);
    onTestFinished(async () => {
      await proxy.close();
      await server.close();
    });
    proxy.inject({ operation: 'PutObject', fault: { kind: 'status', status: 403, code: 'AccessDenied' } });
    mkdirSync(join(home, '.aws'));
    writeFileSync(join(home, '.aws/credentials'), '# mine\n[other]\naws_access_key_id = x', { mode: 0o640 });
    writeFileSync(join(home, '.archiver.yaml'), '# my notes\nupload:\n  shardCount: 4 # few\naws:\n  profile: old\n');
    const session = setup();
    await session.until('Where do archives go?');
    session.type(`${DOWN}${DOWN}\r`);
    await session.until('At which address is the server?');
    session.type(`${proxy.endpoint}\r`);
    await session.until('Which credentials?');
    const offered = (await session.screen()).join('\n');
    session.type(`${DOWN.repeat(9)}\r`);
    await session.until('Which keys?');
    session.type('\rKEYID\rSECRET+/typed');
    await session.until('*************');
    session.type('\r');
    await session.until('In which bucket, below which prefix?');
    session.type('lab/runs\r\r');
    await session.until((lines) =>
      ['missing: s3:PutObject', 'r again'].every((one) => lines.some((line) => line.includes(one))),
    );
    const denied = (await session.screen()).join('\n');
    proxy.clear();
    session.type('r');
    await session.until(ready('it is deleted'));
    session.type('\r');
    await session.until('How are uploads made?');
    session.type('\r');
    await session.until(ready('objects are deleted again'));
    session.type('\r');
    await session.until('Change the file?');
    session.type('\r');
    await session.until('Ready. What to type next:');
    session.type('q');

    expect(await session.exited).toBe(0);
    expect(offered).toContain('profile other');
    expect(denied).not.toContain('enter next');
    expect(session.written()).not.toContain('SECRET');
    expect(config()).toBe(
      '# my notes\nupload:\n  shardCount: 4 # few\naws:\n  profile: archiver\n' +
        `  endpointUrl: ${proxy.endpoint}\nstorage:\n  url: s3://lab/runs\n`,
    );
    expect(readFileSync(join(home, '.aws/credentials'), 'utf8')).toBe(
      '# mine\n[other]\naws_access_key_id = x\n\n[archiver]\naws_access_key_id = KEYID\naws_secret_access_key = SECRET+/typed\n',
    );
    expect(statSync(join(home, '.aws/credentials')).mode & 0o777).toBe(0o600);
    // What it keeps is remembered there, once it is chosen.
    expect([...(server.buckets.get('lab')?.keys() ?? [])]).toEqual(['runs/create-once.json']);
  });

  it('q in the middle of the test leaves nothing in the store', async () => {
    const server = await startMemoryS3('lab');
    const proxy = await startFaultProxy(server.endpoint);
    onTestFinished(async () => {
      await proxy.close();
      await server.close();
    });
    proxy.inject({ operation: 'GetObject', path: /manifest/, times: 1, fault: { kind: 'no-answer' } });
    // Longer than a process stays when its command is over. The check has deleted three times before.
    proxy.inject({ operation: 'DeleteObjects', skip: 3, times: 1, fault: { kind: 'delay', ms: 1500 } });
    const keys = { AWS_ACCESS_KEY_ID: 'KEYID', AWS_SECRET_ACCESS_KEY: 'SECRET' };
    const session = setup(['s3://lab/runs', '--endpoint-url', proxy.endpoint], keys);
    for (const asked of ['Where do archives go?', 'At which address', 'Which credentials?', 'In which bucket']) {
      await session.until(asked);
      session.type('\r');
    }
    session.type('\r');
    await session.until(ready('it is deleted'));
    session.type('\r');
    await session.until('How are uploads made?');
    session.type('\r');
    // That of the check, two of objects in cold classes, and the manifest.
    await session.until(() => proxy.counts.get('GetObject') === 4);
    session.type('q');

    expect(await session.exited).toBe(1);
    expect([...(server.buckets.get('lab')?.keys() ?? [])]).toEqual([]);
    expect((await session.screen()).join('\n')).toContain('as soon as what it has begun has ended');
  });

  it('q leaves it and nothing is written', async () => {
    const session = setup();
    await session.until('Where do archives go?');
    session.type('q');

    expect(await session.exited).toBe(1);
    expect((await session.screen()).join('\n')).toContain('setup was left: the config file is as it was');
    expect(readdirSync(home).filter((name) => name.startsWith('.archiver.'))).toEqual([]);
  });
});
