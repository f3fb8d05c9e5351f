import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMessage, decrypt, decryptKey, encrypt, readKey, readMessage, readPrivateKey } from 'openpgp';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { writeNewPair } from '../../../src/core/platform/state/new-pair.js';
import { missingTools } from '../../e2e/upload-cli.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
const SMALL = ['--bits', '2048'];
const TYPES: readonly (readonly string[])[] = [SMALL, ['--type', 'x25519']];
const PASSPHRASE = 'horse and stäple';
const env = { ARCHIVER_GPG_PASSPHRASE: PASSPHRASE };
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
});

const make = (argv: readonly string[], host: Partial<Parameters<typeof runCommand>[0]> = {}): Promise<CommandRun> =>
  runCommand({ root, folder, ...host }, ['create', 'keys', ...argv]);
const text = (file: string): string => readFileSync(join(folder, file), 'utf8');
const keyFiles = (): readonly string[] => readdirSync(folder).filter((name) => name !== 'home');

test.each(TYPES)('makes a pair that OpenPGP.js reads, locked with the passphrase (%s %s)', async (...argv) => {
  const { status, stdout } = await make([...argv, '--name', 'Anna', '--email', 'a@b.example', '-d', 'a/b', '--json'], {
    env,
  });
  const [armored, open] = [text('a/b/private.key'), await readKey({ armoredKey: text('a/b/public.key') })];
  const locked = await readPrivateKey({ armoredKey: armored });
  const message = await createMessage({ text: 'content' });
  const sealed = await readMessage({ armoredMessage: await encrypt({ message, encryptionKeys: open }) });
  const decryptionKeys = await decryptKey({ privateKey: locked, passphrase: PASSPHRASE });

  expect(status).toBe(0);
  expect(statSync(join(folder, 'a/b/private.key')).mode & 0o777).toBe(0o600);
  expect(json(stdout)).toMatchObject({
    privateKeyFile: join(folder, 'a/b/private.key'),
    fingerprint: open.getFingerprint().toUpperCase(),
    gpgKeyId: open.getFingerprint().toUpperCase().slice(-16),
    encryptionKeyId: sealed.getEncryptionKeyIDs()[0]?.toHex().toUpperCase(),
    isKeyEncrypted: true,
  });
  expect(open.getUserIDs()).toEqual(['Anna <a@b.example>']);
  expect(locked.isDecrypted()).toBe(false);
  expect((await decrypt({ message: sealed, decryptionKeys })).data).toBe('content');
});

describe('the passphrase', () => {
  test('is asked for twice on a terminal, also when both answers come at once', async () => {
    const { status, stderr } = await make(SMALL, { answers: [PASSPHRASE, PASSPHRASE] });
    const pasted = await make([...SMALL, '-d', 'pasted'], { answers: [`${PASSPHRASE}\n${PASSPHRASE}`] });
    const locked = await readPrivateKey({ armoredKey: text('private.key') });

    expect([status, pasted.status]).toEqual([0, 0]);
    expect(stderr).toContain('passphrase again (not shown): ');
    expect(stderr).not.toContain('horse');
    expect((await decryptKey({ privateKey: locked, passphrase: PASSPHRASE })).isDecrypted()).toBe(true);
  });

  test.each<[string, Partial<Parameters<typeof runCommand>[0]>, number, RegExp]>([
    ['two answers that differ', { answers: ['one', 'two'] }, 2, /two answers for the passphrase differ/],
    ['one answer', { answers: ['one'] }, 2, /no passphrase again was typed/],
    ['no answer', { answers: [''] }, 2, /no passphrase was typed/],
    ['Ctrl+C', { answers: ['one\u0003'] }, 130, /cancelled/],
    ['no terminal', {}, 2, /no terminal to ask on(.|\n)*ARCHIVER_GPG_PASSPHRASE(.|\n)*--no-passphrase/],
    ['an empty variable', { env: { ARCHIVER_GPG_PASSPHRASE: '' } }, 2, /ARCHIVER_GPG_PASSPHRASE is empty/],
  ])('%s: nothing is made', async (_, host, expected, message) => {
    const { status, stderr } = await make(SMALL, host);

    expect([status, stderr]).toEqual([expected, expect.stringMatching(message)]);
    expect(keyFiles()).toEqual([]);
  });

  test('is left out on request, with a warning', async () => {
    const { status, stderr } = await make(['--type', 'x25519', '--no-passphrase'], { env });

    expect([status, stderr]).toEqual([0, expect.stringContaining('private.key is not encrypted')]);
    expect((await readPrivateKey({ armoredKey: text('private.key') })).isDecrypted()).toBe(true);
  });
});

describe('what is there', () => {
  test.each(['private.key', 'public.key'])('%s is never overwritten, nor is the other made', async (name) => {
    writeFileSync(join(folder, name), 'mine');

    const { status, stderr } = await make(SMALL, { answers: [] });

    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`${join(folder, name)} exists and is not overwritten`),
    ]);
    expect(stderr).not.toContain('passphrase');
    expect([keyFiles(), text(name)]).toEqual([[name], 'mine']);
  });

  test('a link that leads nowhere counts, and nothing is written through it', async () => {
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync('elsewhere/stolen', join(folder, 'public.key'));

    const { status, stderr } = await make(SMALL, { answers: [] });

    expect([status, stderr]).toEqual([1, expect.not.stringContaining('passphrase')]);
    expect(lstatSync(join(folder, 'public.key')).isSymbolicLink()).toBe(true);
    expect([keyFiles(), readdirSync(join(folder, 'elsewhere'))]).toEqual([['elsewhere', 'public.key'], []]);
  });

  test('of many that write at once one gets both files, and the others leave nothing', async () => {
    const pair = (who: number) =>
      [
        { path: join(folder, 'one'), text: `one of ${who}`, mode: 0o600 },
        { path: join(folder, 'other'), text: `other of ${who}`, mode: 0o644 },
      ] as const;

    const ends = await Promise.allSettled(
      [0, 1, 2, 3, 4, 5, 6, 7].map((who) => writeNewPair(folder, pair(who), 'hint')),
    );
    const winner = ends.findIndex(({ status }) => status === 'fulfilled');

    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(readdirSync(folder).sort()).toEqual(['one', 'other']);
    expect([text('one'), text('other')]).toEqual([`one of ${winner}`, `other of ${winner}`]);
  });

  test('takes the first back when the second cannot be put in place', async () => {
    const first = { path: join(folder, 'one'), text: 'one', mode: 0o600 };
    const second = { path: join(folder, 'gone', 'other'), text: 'other', mode: 0o644 };

    await expect(writeNewPair(folder, [first, second], 'hint')).rejects.toThrow(/cannot write .*other \(ENOENT\)/);

    expect(keyFiles()).toEqual([]);
  });
});

test.each<[readonly string[], RegExp]>([
  [['--type', 'x25519', '--bits', '4096'], /--bits is the length of RSA keys/],
  [['--bits', '1024'], /from 2048 to 8192/],
  [['--email', 'nobody'], /--email wants an address/],
  [['--name', 'Anna <a@b>'], /--name cannot hold/],
  [['--name', ' '], /--name cannot hold/],
])('%j is refused', async (argv, message) => {
  const { status, stderr } = await make(argv, { env });

  expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(keyFiles()).toEqual([]);
});

describe.skipIf(missingTools('gpg', 'gpgconf').length > 0)('GnuPG', () => {
  test.each([
    ...TYPES.map((argv) => ({ argv, passphrase: PASSPHRASE })),
    ...TYPES.map((argv) => ({ argv: [...argv, '--no-passphrase'], passphrase: '' })),
  ])('imports both of $argv, and decrypts and signs with them', async ({ argv, passphrase }) => {
    const { stdout } = await make([...argv, '--email', 'a@b.example', '--json'], { env });
    const { fingerprint } = json(stdout);
    const gpg = gnupg(join(folder, 'gnupg'), passphrase);
    writeFileSync(join(folder, 'plain'), 'content');
    const at = (name: string): string => join(folder, name);

    gpg('--import', at('public.key'));
    const known = gpg('--with-colons', '--list-keys');
    gpg('--trust-model', 'always', '-r', 'a@b.example', '-o', at('sealed'), '--encrypt', at('plain'));
    gpg('--import', at('private.key'));
    gpg('-o', at('signed.sig'), '--detach-sign', at('plain'));

    expect(known).toContain(`fpr:::::::::${String(fingerprint)}:`);
    expect(gpg('--decrypt', at('sealed'))).toBe('content');
    expect(gpg('--status-fd', '1', '--verify', at('signed.sig'), at('plain'))).toContain(
      `VALIDSIG ${String(fingerprint)}`,
    );
  });
});

/** GnuPG with keys of its own; its agent ends with the test. */
function gnupg(home: string, passphrase: string): (...argv: string[]) => string {
  mkdirSync(home, { mode: 0o700 });
  const own = { ...process.env, GNUPGHOME: home };
  onTestFinished(() => void execFileSync('gpgconf', ['--kill', 'all'], { env: own }));
  const asked = ['--batch', '--yes', '--pinentry-mode', 'loopback', '--passphrase', passphrase];
  return (...argv) =>
    execFileSync('gpg', [...asked, ...argv], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env: own });
}
