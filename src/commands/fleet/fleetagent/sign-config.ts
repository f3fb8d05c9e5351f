import { resolve } from 'node:path';
import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import type { Messages, Places, Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import { integrityError, usageError } from '../../../core/platform/failures/errors.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatQuantity } from '../../../ui/format.js';
import { fact, textOf } from '../../kit/lines.js';
import { warnOf } from '../../kit/run.js';
import { readNamed } from './named-file.js';

type SignContext = Results<'fleetagent sign-config'> & Messages & Pick<Places, 'cwd'>;

export const command = defineCommand({
  path: 'fleetagent sign-config',
  summary: 'sign the config of a writer',
  description:
    'Checks the config as `archiver fleetagent validate-config` does and refuses one with errors; then signs its exact bytes ' +
    'and writes the signature beside it. Raise `version` in the config before: agents refuse one that is not newer than ' +
    'what they have accepted. Both files go to fleet/WRITER_ID/ in the store, as config.yaml and config.yaml.sig.',
  args: [arg.file('CONFIG_FILE', { describe: 'the config, in YAML' })],
  flags: {
    key: flag.repeat({
      placeholder: 'FILE',
      required: true,
      describe:
        'private key in PEM, as config-keygen makes it; again for another one, while agents change from one key to the next',
    }),
    output: flag.file({ short: 'o', placeholder: 'FILE', describe: 'the signature; CONFIG_FILE.sig when not given' }),
  },
  examples: [
    'archiver fleetagent sign-config web-01.yaml --key ~/fleet-keys/config-signing-private.pem',
    'archiver fleetagent sign-config web-01.yaml --key old/config-signing-private.pem --key new/config-signing-private.pem',
  ],
  exits: { 0: 'signed', 1: 'the config has errors, or a file cannot be read or written' },
  async run({ key, output }, [file], context: SignContext) {
    const { checkFleetConfig } = await import('../../../core/fleet/config/check-fleet-config.js');
    const { signConfig } = await import('../../../core/fleet/config/signature.js');
    const configFile = resolve(context.cwd, file);
    const keyFiles = key.map((name) => resolve(context.cwd, name));
    const signatureFile = resolve(context.cwd, output ?? `${file}.sig`);
    if (signatureFile === configFile || keyFiles.includes(signatureFile))
      throw usageError(
        `the signature ${printable(signatureFile)} would overwrite ${signatureFile === configFile ? 'the config' : 'the key'}`,
      );
    const bytes = await readNamed(file, context);
    const { config, errors, warnings } = checkFleetConfig(bytes);
    if (config === undefined)
      throw integrityError(
        `${printable(file)} has ${formatQuantity(errors.length, 'error')} and is not signed: ${errors[0] ?? ''}`,
        { hint: `archiver fleetagent validate-config ${printable(file)}` },
      );
    const signed = signConfig(bytes, ...(await Promise.all(key.map((name) => privateKey(name, context)))));
    await save(signatureFile, signed.bytes);
    warnOf(warnings, context);
    const { writerId, version: configVersion } = config;
    const [keyId = '', ...more] = signed.keyIds;
    const document = { file: configFile, signatureFile, keyId, writerId, configVersion };
    context.outcome({ ...document, ...(more.length === 0 ? {} : { otherKeyIds: more }) }, () =>
      textOf([
        `signed version ${configVersion} of the config of ${writerId}`,
        ...signed.keyIds.map((id) => fact('key', id)),
        fact('signature', printable(signatureFile)),
      ]),
    );
  },
});

async function privateKey(file: string, context: SignContext) {
  const { stat } = await import('node:fs/promises');
  const { readPrivateKey } = await import('../../../core/fleet/config/signing-keys.js');
  const pem = await readNamed(file, context);
  const { mode } = await stat(resolve(context.cwd, file));
  if ((mode & 0o077) !== 0)
    context.warn(`others may read the private key ${printable(file)}: chmod 600 ${printable(file)}`);
  return readPrivateKey(pem.toString('utf8'));
}

async function save(path: string, bytes: Buffer): Promise<void> {
  const { fileFailure } = await import('../../../core/platform/failures/file-failure.js');
  const { replaceFile } = await import('../../../core/platform/state/replace-file.js');
  try {
    await replaceFile(path, bytes);
  } catch (error) {
    throw fileFailure('write', path, error);
  }
}
