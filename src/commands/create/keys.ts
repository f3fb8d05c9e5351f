import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { defineCommand } from '../../cli/command.js';
import type { Cancellation, Environment, Messages, Places, Results, Terminal } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import { idle } from '../../cli/rule.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { fact, textOf } from '../kit/lines.js';

const PASSPHRASE = 'ARCHIVER_GPG_PASSPHRASE';

type PromptContext = Cancellation & Environment & Pick<Terminal, 'stdin' | 'stderr'>;

export const command = defineCommand({
  path: 'create keys',
  summary: 'make a pair of GPG keys for encrypting and signing files',
  description:
    'Writes private.key and public.key (OpenPGP, version 4, in ASCII) for GnuPG: `gpg --import` takes both. Files are encrypted to ' +
    'public.key before they are archived, and only who has private.key and its passphrase reads them after a restore; archiver itself ' +
    'neither encrypts with these keys nor asks for them, and the keys of fleet configs and of KMS are others. ' +
    `The passphrase is asked for twice, or is taken from ${PASSPHRASE}. Neither file is ever overwritten. A private key or a ` +
    'passphrase that is lost cannot be made again, and what was encrypted to it is lost too.',
  flags: {
    destination: flag.folder({
      short: 'd',
      default: '.',
      describe: 'folder for the two files, made where it is missing',
    }),
    type: flag.choice(['rsa', 'x25519'], {
      default: 'rsa',
      describe: 'x25519: Ed25519 signs and X25519 encrypts, short and fast; rsa: also for GnuPG before 2.1',
    }),
    bits: flag.int([2048, 8192], {
      short: 'b',
      default: 4096,
      describe: 'length of RSA keys; more than 4096 takes minutes',
    }),
    name: flag.text({
      short: 'n',
      placeholder: 'NAME',
      describe: 'whose keys they are; archiver on this computer when neither is given',
    }),
    email: flag.text({ short: 'e', placeholder: 'ADDRESS', describe: 'mail address of the same' }),
    passphrase: flag.on({
      default: true,
      describe: 'encrypt the private key with a passphrase',
      off: 'write the private key UNENCRYPTED: whoever reads the file has the key',
    }),
  },
  rules: [
    idle(
      'bits',
      ['type'],
      '--bits is the length of RSA keys: leave it out with --type x25519',
      (v) => v['type'] === 'x25519',
    ),
  ],
  examples: [
    'archiver create keys --name "Anna Berg" --email anna@example.org -d ~/keys',
    'archiver create keys --type x25519 --no-passphrase -d ./keys',
  ],
  exits: { 0: 'made', 1: 'one of the files exists, or they cannot be written' },
  async run(
    { destination, passphrase: isLocked, ...values },
    _args,
    context: PromptContext & Results<'create keys'> & Messages & Places,
  ) {
    const { checkUserId, makeGpgKeys, refuseOtherKeys } = await import('../../core/gpg-keys/gpg-keys.js');
    const { untilCancelled } = await import('../../core/store/until-cancelled.js');
    const { name, email } = values;
    checkUserId(values);
    const owner = name === undefined && email === undefined ? { name: `archiver on ${hostname()}` } : { name, email };
    const folder = resolve(context.cwd, destination);
    await refuseOtherKeys(folder);
    const passphrase = isLocked ? await passphraseOf(context) : undefined;
    if (values.type === 'rsa' && values.bits > 4096)
      context.note(`making ${values.bits} bits of RSA: this takes minutes`);
    const made = await untilCancelled(makeGpgKeys(folder, { ...values, ...owner, passphrase }), context.signal);
    if (!isLocked) context.warn(`${printable(made.privateKeyFile)} is not encrypted: whoever reads it has the key`);
    context.outcome({ ...made, keyType: values.type }, () =>
      textOf([
        `made the ${values.type} key ${made.fingerprint}`,
        fact('encrypts', made.encryptionKeyId),
        fact('private', `${printable(made.privateKeyFile)} decrypts and signs: keep a copy elsewhere`),
        fact('public', `${printable(made.publicKeyFile)} is for whoever encrypts`),
      ]),
    );
  },
});

async function passphraseOf(context: PromptContext): Promise<string> {
  const { askNewSecret } = await import('../kit/ask-secret.js');
  const { hasTerminal } = await import('../kit/ask.js');
  const given = context.env[PASSPHRASE];
  if (given === '') throw usageError(`${PASSPHRASE} is empty`, 'give a passphrase, or --no-passphrase');
  if (given !== undefined) return given;
  if (hasTerminal(context)) return await askNewSecret('passphrase', context);
  throw usageError(
    'the private key needs a passphrase, and there is no terminal to ask on',
    `set ${PASSPHRASE}, or give --no-passphrase`,
  );
}
