import { resolve } from 'node:path';
import { defineCommand } from '../../../cli/command.js';
import type { Places, Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { fact, textOf } from '../../kit/lines.js';

export const command = defineCommand({
  path: 'fleetagent config-keygen',
  summary: 'make the pair of keys that fleet configs are signed with',
  description:
    'Writes config-signing-private.pem and config-signing-public.pem (ed25519; PKCS#8 and SPKI in PEM). The private key signs configs and ' +
    'stays with the operator, away from the writers and the store; the public one goes to every writer. Neither file is ' +
    'overwritten. They encrypt nothing, and whoever has lost the private key makes a new pair and gives every writer the new public key. ' +
    'docs/fleet.md, Changing the key, says how one pair follows another.',
  flags: {
    out: flag.folder({ default: '.', describe: 'folder for the two files, made where it is missing' }),
  },
  examples: ['archiver fleetagent config-keygen --out ~/fleet-keys'],
  exits: { 0: 'made', 1: 'one of the files exists, or they cannot be written' },
  async run({ out }, _args, context: Results<'fleetagent config-keygen'> & Pick<Places, 'cwd'>) {
    const { makeSigningKeys } = await import('../../../core/fleet/config/signing-keys.js');
    const made = await makeSigningKeys(resolve(context.cwd, out));
    context.outcome(made, () =>
      textOf([
        `made the key ${made.keyId}`,
        fact('private', `${printable(made.privateKeyFile)} signs configs: keep it away from writers and the store`),
        fact('public', `${printable(made.publicKeyFile)} goes to every writer`),
      ]),
    );
  },
});
