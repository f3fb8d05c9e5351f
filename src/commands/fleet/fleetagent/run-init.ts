// Runs `fleetagent init`.
import { join, resolve } from 'node:path';
import pkg from '../../../../package.json' with { type: 'json' };
import type { Cancellation, Environment, Messages, Origins, Places, Results } from '../../../cli/context.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import { type BundleOptions, bundleFiles, bundlePolicy, CREDENTIALS } from '../../../core/fleet/bundle/bundle-files.js';
import { withNewBundle, writeSecret } from '../../../core/fleet/bundle/bundle-folder.js';
import { checkKeyArn, checkRegion, fleetPlace, partitionOf } from '../../../core/fleet/bundle/fleet-place.js';
import { type FleetProvider, storeServer } from '../../../core/fleet/bundle/store-server.js';
import { policyText } from '../../../core/fleet/bundle/policy-document.js';
import { readNamed } from './named-file.js';
import { readPublicKeys } from '../../../core/fleet/config/signature.js';
import type { AccessKey } from '../../../core/fleet/identity/iam.js';
import type { Minted } from '../../../core/fleet/identity/mint.js';
import type { RetentionMode } from '../../../core/store/object-store.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { regionAt } from '../../../core/store/providers/address.js';
import { fact, textOf } from '../../kit/lines.js';
import { lockOption } from '../../kit/place-options.js';
import { namedWriter } from '../writer.js';

export interface InitValues {
  /** One of these two is given. */
  readonly writerId: string | undefined;
  readonly replaces: string | undefined;
  readonly publicKey: string;
  readonly kmsKeyArn: string | undefined;
  readonly mint: boolean;
  readonly profile: string | undefined;
  readonly caBundle: string | undefined;
  readonly out: string | undefined;
  readonly image: string | undefined;
  readonly region: string;
  readonly endpointUrl: string | undefined;
  readonly provider: FleetProvider | undefined;
  readonly objectLock: RetentionMode | undefined;
  readonly retain: number | undefined;
}

type Context = Results<'fleetagent init'> & Messages & Environment & Origins & Cancellation & Pick<Places, 'cwd'>;

const IMAGE = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,254}$/;

export async function runInit(values: InitValues, url: string, context: Context): Promise<number> {
  const bundle = await bundleOf(values, url, context);
  const { writerId, place } = bundle;
  const folder = resolve(context.cwd, values.out ?? writerId);
  const files = bundleFiles(bundle);
  const policy = policyText(bundlePolicy(bundle));
  const minted = await withNewBundle(folder, files, async () => {
    if (!values.mint) return null;
    const { withIam } = await import('../../../core/fleet/identity/iam-client.js');
    const { mint, withoutOlderKeys } = await import('../../../core/fleet/identity/mint.js');
    const { env, signal } = context;
    const { profile, caBundle, region } = values;
    const keep = (key: AccessKey): Promise<void> => writeSecret(folder, CREDENTIALS, credentialsText(key));
    const isReplaced = values.replaces !== undefined;
    return await withIam({ env, profile, caBundle, region }, async (iam) => {
      const made = await mint(iam, { writerId, fleetUrl: place.url, policy, keep, signal });
      return isReplaced ? await withoutOlderKeys(iam, made) : made;
    });
  });
  const names = [...files.keys(), ...(minted === null ? [] : [CREDENTIALS])].toSorted();
  const document = { location: place.url, writerId, folder, bundleFiles: names, minted };
  context.outcome(document, () => textOf(linesOf(folder, names, minted)));
  const warning = unkeptText(bundle);
  if (warning !== undefined) context.warn(warning);
  if (minted !== null && minted.olderKeys.length > 0) {
    const keys = minted.olderKeys.map(printable).join(', ');
    context.warn(`the user ${minted.userName} was there, and its older access keys still work: ${keys}`);
  }
  return 0;
}

async function bundleOf(values: InitValues, url: string, { cwd, origins }: Context): Promise<BundleOptions> {
  const { kmsKeyArn, image, provider } = values;
  const endpointUrl = values.endpointUrl === undefined ? undefined : await serverAddress(values.endpointUrl);
  const told = origins['region'] === 'default' ? regionAt(endpointUrl) : undefined;
  const region = checkRegion(told ?? values.region);
  const server = storeServer(provider, { endpointUrl, kmsKeyArn });
  if (image !== undefined && !IMAGE.test(image)) throw usageError(`'${printable(image)}' is not the name of an image`);
  const pem = (await readNamed(values.publicKey, { cwd })).toString();
  const publicKeys = readPublicKeys(pem, printable(values.publicKey));
  return {
    place: fleetPlace(url),
    writerId: namedWriter(values.replaces ?? values.writerId ?? ''),
    isReplaced: values.replaces !== undefined,
    region,
    kmsKeyArn: kmsKeyArn === undefined ? undefined : checkKeyArn(kmsKeyArn, partitionOf(region, server)),
    publicKey: publicKeys.map((key) => key.export({ type: 'spki', format: 'pem' }).toString()).join(''),
    image: { name: image ?? `archiver:${pkg.version}`, isLocal: image === undefined },
    isMinted: values.mint,
    lock: lockOption(values, url),
    endpointUrl,
    server,
  };
}

/** Says which promises the server does not keep, so that it is not only in the README; undefined if it keeps all. */
function unkeptText({ server, place }: BundleOptions): string | undefined {
  if (server.refusesOverwriting) return undefined;
  const advice = {
    holds: `turn versioning of ${place.bucket} on, which keeps what was there (README.md, step 2)`,
    breaks: 'nor can versioning keep what was there, because keys are not created only once then (README.md, step 2)',
    unknown:
      `turn versioning of ${place.bucket} on where the server has it, and ask it: archiver access-check ${place.url}; ` +
      'MinIO and Ceph are named by --provider',
  };
  return `nothing in the bundle keeps this writer from overwriting what is stored (${server.noSuchPolicy}): ${advice[server.versioning]}`;
}

async function serverAddress(endpointUrl: string): Promise<string | undefined> {
  const { storeEndpoint } = await import('../../../core/store/s3/s3-profile.js');
  return await storeEndpoint({ env: {}, endpointUrl });
}

const credentialsText = ({ accessKeyId, secretAccessKey }: AccessKey): string =>
  `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`;

function linesOf(folder: string, names: readonly string[], minted: Minted | null): readonly string[] {
  return [
    `made ${printable(folder)} with ${names.join(', ')}`,
    ...(minted === null
      ? []
      : [
          fact('IAM user', `${minted.userArn}${minted.isAdopted ? ', which was there' : ''}`),
          fact('key', `${minted.accessKeyId}, in ${CREDENTIALS}`),
          ...(minted.deletedKeys.length === 0
            ? []
            : [fact('deleted', `${minted.deletedKeys.map(printable).join(', ')}, of the machine before`)]),
        ]),
    `Next: the steps in ${printable(join(folder, 'README.md'))}`,
  ];
}
