// Collects what `archiver setup` knows before it asks: typed values, or else those of the config file, or else a folder.
import type { OpenConfig } from '../../cli/config-change.js';
import type { Context } from '../../cli/context.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { bucketUrl, formatStoreUrl, joinStoreUrl, parseStoreUrl } from '../../core/store/store-url.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { addressOf, addressText, knownAddress, missingParts, regionAt } from '../../core/store/providers/address.js';
import { type Provider, PROVIDERS } from '../../core/store/providers/provider.js';
import { factsOf } from '../../core/store/providers/provider-table.js';
import { type FoundPlace, placeOf } from '../../stores/setup/places.js';
import { defaultFolder } from './setup-ports.js';

export interface SetupValues {
  readonly nonInteractive: boolean;
  readonly output: string | undefined;
  readonly provider: Provider | undefined;
  readonly region: string | undefined;
  readonly profile: string | undefined;
  readonly endpointUrl: string | undefined;
  readonly caBundle: string | undefined;
  readonly storageClass: string | undefined;
}

export interface InitialSetup extends FoundPlace {
  readonly url: string;
  readonly profile: string | undefined;
  readonly endpointUrl: string | undefined;
  /** Provider of the store, as typed or as in the config file. */
  readonly provider: Provider | undefined;
}

type Server = Pick<InitialSetup, 'endpointUrl' | 'region'>;

/** Returns the initial values. @throws usage for a provider whose address is not complete, or does not match the address */
export async function initialSetup(
  values: SetupValues,
  url: string | undefined,
  { settings }: OpenConfig,
  context: Pick<Context, 'cwd' | 'userHome' | 'env'>,
): Promise<InitialSetup> {
  const bucket = settings.get('storage.bucket');
  const known =
    url ??
    settings.get('storage.url') ??
    (bucket === undefined
      ? undefined
      : joinStoreUrl(bucketUrl(bucket, context.cwd), settings.get('storage.prefix') ?? ''));
  const found = {
    url: formatStoreUrl(parseStoreUrl(known ?? `file://${defaultFolder(context.userHome)}`)),
    profile: values.profile ?? settings.get('aws.profile'),
  };
  const { provider } = values;
  if (provider !== undefined) return { ...found, ...begunWith(provider, found.url, values) };
  const written = values.endpointUrl ?? settings.get('aws.endpointUrl');
  // A value that only this shell has is a proposal: it is not written without a question.
  const endpointUrl = written ?? (values.nonInteractive ? undefined : await ofShell(found.profile, context));
  const region = values.region ?? regionAt(values.endpointUrl) ?? settings.get('aws.region');
  const named = PROVIDERS.find((name) => name === settings.get('costControl.provider'));
  const place = found.url.startsWith('file:') ? { place: 'folder' as const } : placeOf(endpointUrl, named);
  return { ...found, provider: named, endpointUrl, ...place, region: region ?? place.region };
}

const ofShell = async (profile: string | undefined, { env }: Pick<Context, 'env'>): Promise<string | undefined> => {
  const { storeEndpoint } = await import('../../core/store/s3/s3-profile.js');
  return await storeEndpoint({ env, profile });
};

function begunWith(provider: Provider, url: string, values: SetupValues): Omit<InitialSetup, 'url' | 'profile'> {
  if (values.nonInteractive && url.startsWith('file:'))
    throw usageError(
      `--provider says who runs a bucket, and ${printable(url)} is a folder`,
      `name the bucket: archiver setup s3://BUCKET --provider ${provider} --non-interactive`,
    );
  refuseOther(provider, values.endpointUrl);
  if (values.nonInteractive) return { place: provider, provider, ...serverOf(provider, values) };
  const { endpointUrl } = values;
  if (endpointUrl !== undefined && placeOf(endpointUrl, provider).place !== provider)
    throw usageError(
      `${factsOf(provider).name} behind an address of its own is set up without questions`,
      'add --non-interactive',
    );
  const known = knownAddress(endpointUrl);
  const region = values.region ?? known?.region ?? factsOf(provider).defaultRegion ?? undefined;
  return { place: provider, provider, endpointUrl, region, account: known?.account };
}

/** Refuses an address of another provider. @throws usage */
function refuseOther(provider: Provider, endpointUrl: string | undefined): void {
  const told = knownAddress(endpointUrl)?.provider;
  if (told === undefined || told === provider) return;
  throw usageError(
    `${printable(endpointUrl ?? '')} is an address of ${factsOf(told).name}, and --provider is ${provider}`,
    `leave out one of them, or name --provider ${told}`,
  );
}

/** Returns the address and region of the provider. @throws usage where something is missing that cannot be guessed */
function serverOf(provider: Provider, { endpointUrl, region }: SetupValues): Server {
  const facts = factsOf(provider);
  const named = region ?? regionAt(endpointUrl) ?? facts.defaultRegion ?? undefined;
  if (endpointUrl !== undefined || provider === 'aws') return { endpointUrl, region: named };
  const address = addressOf(facts, { region: named });
  if (address !== undefined) return { endpointUrl: address, region: named };
  const [part] = missingParts(facts);
  if (part === 'region')
    throw usageError(
      `the address of ${facts.name} names the region of the bucket, and nothing here does`,
      `name it, such as --region ${facts.regions[0] ?? ''}`,
    );
  throw usageError(
    part === 'account'
      ? `the address of ${facts.name} has the ${facts.account ?? ''} in it`
      : `${facts.name} has another address in each place`,
    `name it: --endpoint-url ${addressText(facts)}`,
  );
}
