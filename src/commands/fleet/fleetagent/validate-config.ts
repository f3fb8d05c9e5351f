import { resolve } from 'node:path';
import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import type { Environment, Places, Results, Terminal } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import { requires } from '../../../cli/rule.js';
import { errorText, integrityError, isArchiverError } from '../../../core/platform/failures/errors.js';
import type { FleetConfig } from '../../../core/fleet/config/fleet-config.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatQuantity } from '../../../ui/format.js';
import { lookOf } from '../../../ui/look.js';
import { signText } from '../../../ui/sign.js';
import { fact, textOf } from '../../kit/lines.js';
import { readNamed } from './named-file.js';

type ValidateContext = Results<'fleetagent validate-config'> &
  Environment &
  Pick<Terminal, 'colors'> &
  Pick<Places, 'cwd'>;

export const command = defineCommand({
  path: 'fleetagent validate-config',
  summary: 'check the config of a writer, and its signature',
  description:
    'Names every error and everything odd with its line and column. With --baseline it also tells what the config reads, ' +
    'or sends elsewhere, that the deployed one does not: such widening is refused by agents that pull it, unless the config ' +
    'has `allow_scope_expansion: true`. Nothing is written, and nothing is sent anywhere. docs/fleet.md describes the keys.',
  args: [arg.file('CONFIG_FILE', { describe: 'the config, in YAML' })],
  flags: {
    baseline: flag.file({ placeholder: 'FILE', describe: 'the config that is deployed, to compare with' }),
    publicKey: flag.file({
      placeholder: 'FILE',
      describe: 'public keys in PEM, the newest last: check the signature as well',
    }),
    signature: flag.file({ placeholder: 'FILE', describe: 'the signature; CONFIG_FILE.sig when not given' }),
    strict: flag.on({ describe: 'fail on warnings and widening, too' }),
  },
  rules: [requires('signature', 'publicKey')],
  examples: [
    'archiver fleetagent validate-config web-01.yaml --baseline deployed.yaml --strict',
    'archiver fleetagent validate-config web-01.yaml --public-key config-signing-public.pem',
  ],
  exits: {
    0: 'valid',
    1: 'it has errors, the signature is not good, a file cannot be read, or --strict found warnings or widening',
  },
  async run(values, [file], context: ValidateContext) {
    const { checkFleetConfig } = await import('../../../core/fleet/config/check-fleet-config.js');
    const bytes = await readNamed(file, context);
    const checked = checkFleetConfig(bytes);
    const { config, warnings } = checked;
    const signed = await checkSignature(bytes, { ...values, signature: values.signature ?? `${file}.sig` }, context);
    const compared = await compare(values.baseline, { bytes, config }, context);
    const errors = [...checked.errors, ...signed.errors, ...compared.errors];
    const { widenings } = compared;
    const isOdd = warnings.length > 0 || (widenings ?? []).length > 0;
    const ok = errors.length === 0 && !(values.strict && isOdd);
    const document = {
      ok,
      file: resolve(context.cwd, file),
      writerId: config?.writerId ?? null,
      configVersion: config?.version ?? null,
      keyId: signed.keyId,
      errors: errors.map((message) => ({ message })),
      warnings: warnings.map((message) => ({ message })),
      widenings,
    };
    context.result(document, () => {
      const sign = ok ? (isOdd ? 'warn' : 'good') : 'bad';
      return textOf([
        `${signText(sign, lookOf(context.colors.stdout, context.env))} ${printable(file)} ${verdict(config, errors)}`,
        ...errors.map((text) => fact('error', text)),
        ...warnings.map((text) => fact('warning', text)),
        ...(widenings ?? []).map((text) => fact('wider', text)),
        ...(signed.keyId === null ? [] : [fact('signed', `with the key ${signed.keyId}`)]),
      ]);
    });
    return ok ? 0 : 1;
  },
});

function verdict(config: FleetConfig | undefined, errors: readonly string[]): string {
  if (config === undefined || errors.length > 0) return `has ${formatQuantity(errors.length, 'error')}`;
  return `is valid: version ${config.version} of ${config.writerId}, ${formatQuantity(config.sources.length, 'folder')}`;
}

interface Signed {
  readonly publicKey: string | undefined;
  readonly signature: string;
}

interface SignatureCheck {
  readonly errors: readonly string[];
  /** Id of the key that the signature is valid for. */
  readonly keyId: string | null;
}

/** Checks the signature of the config. @throws usage for an invalid key; access-denied, io where it cannot be read */
async function checkSignature(
  bytes: Buffer,
  { publicKey, signature }: Signed,
  context: ValidateContext,
): Promise<SignatureCheck> {
  if (publicKey === undefined) return { errors: [], keyId: null };
  const { assertVersionSigned, readPublicKeys, readSidecar, verifyConfig } =
    await import('../../../core/fleet/config/signature.js');
  const { checkFleetConfig } = await import('../../../core/fleet/config/check-fleet-config.js');
  const pem = (await readNamed(publicKey, context)).toString('utf8');
  readPublicKeys(pem, printable(publicKey));
  try {
    const sidecar = await readNamed(signature, context);
    const { keyId } = verifyConfig(bytes, sidecar, pem);
    const { config } = checkFleetConfig(bytes);
    if (config !== undefined) assertVersionSigned(config, readSidecar(sidecar), pem);
    return { errors: [], keyId };
  } catch (error) {
    if (!isArchiverError(error)) throw error;
    const unsigned = isArchiverError(error, 'integrity') ? '' : 'the signature cannot be checked: ';
    return { errors: [`${unsigned}${errorText(error)}`], keyId: null };
  }
}

interface Compared {
  readonly errors: readonly string[];
  /** Null without a baseline, or where the config has errors. */
  readonly widenings: readonly string[] | null;
}

/** Compares the config with the baseline. @throws integrity for a baseline with errors; access-denied, io where it cannot be read */
async function compare(
  baseline: string | undefined,
  { bytes, config }: { readonly bytes: Buffer; readonly config: FleetConfig | undefined },
  context: ValidateContext,
): Promise<Compared> {
  if (baseline === undefined) return { errors: [], widenings: null };
  const { checkFleetConfig } = await import('../../../core/fleet/config/check-fleet-config.js');
  const { acceptedOf, assertNotOlder } = await import('../../../core/fleet/config/not-older.js');
  const { widenings } = await import('../../../core/fleet/config/compare-scope.js');
  const before = await readNamed(baseline, context);
  const { config: deployed, errors } = checkFleetConfig(before);
  if (deployed === undefined)
    throw integrityError(`the baseline ${printable(baseline)} has errors: ${errors[0] ?? ''}`, {
      hint: 'give the config as it is deployed',
    });
  if (config === undefined) return { errors: [], widenings: null };
  const wider = widenings(deployed, config);
  try {
    assertNotOlder(acceptedOf(config, bytes), acceptedOf(deployed, before));
    return { errors: [], widenings: wider };
  } catch (error) {
    return { errors: [errorText(error)], widenings: wider };
  }
}
