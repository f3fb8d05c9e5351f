// Reads a profile from the user's AWS files with the SDK's own parser: two interpretations of one file would send keys to one server and
// data to another. Also finds the endpoint of each service, by the precedence that AWS documents:
// https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html. The SDK itself looks up a profile's address by AWS_PROFILE
// alone, so a profile that was named otherwise would use AWS: here both are treated the same.
import { CONFIG_PREFIX_SEPARATOR, loadSharedConfigFiles } from '@smithy/core/config';
import { usageError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';

type Environment = Readonly<Record<string, string | undefined>>;
type Section = Readonly<Record<string, string | undefined>>;

/** Access keys of AWS, or of another server that speaks S3. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** When they expire; then new ones are requested. */
  readonly expiration?: Date;
}

export interface AwsSources {
  readonly env: Environment;
  /** Returns the keys; by default they are found as the SDK finds them. */
  readonly credentials?: (() => Promise<AwsKeys>) | undefined;
  /** The profile that was named; by default AWS_PROFILE, then `default`. */
  readonly profile?: string | undefined;
}

export interface EndpointSources extends AwsSources {
  /** The address of the store as it was given. Null for AWS itself, whatever is configured. */
  readonly endpointUrl?: string | null | undefined;
}

export interface AwsProfile {
  readonly name: string;
  /** Its keys; empty when there is no such profile. */
  readonly section: Section;
  /** Every profile there is. */
  readonly all: Readonly<Record<string, Section>>;
  /** The keys of its `services` section, such as `s3.endpoint_url`; undefined when it names one that is not there. */
  readonly services: Section | undefined;
}

/** Sections of the config file that are no profiles. */
const OTHER_SECTION = /^(?:services|sso-session)\./;

const placesOf = (env: Environment): { readonly configFilepath?: string; readonly filepath?: string } => ({
  ...(env['AWS_CONFIG_FILE'] ? { configFilepath: env['AWS_CONFIG_FILE'] } : {}),
  ...(env['AWS_SHARED_CREDENTIALS_FILE'] ? { filepath: env['AWS_SHARED_CREDENTIALS_FILE'] } : {}),
});

/** Reads the files again: the SDK reads them once, and does not see later changes. */
export async function forgetAwsFiles(env: Environment): Promise<void> {
  await loadSharedConfigFiles({ ...placesOf(env), ignoreCache: true });
}

/** Returns the profile in use. */
export async function awsProfile({ env, profile }: AwsSources): Promise<AwsProfile> {
  const name = profile || env['AWS_PROFILE'] || 'default';
  const { configFile, credentialsFile } = await loadSharedConfigFiles(placesOf(env));
  const names = [...Object.keys(credentialsFile), ...Object.keys(configFile)].filter((one) => !OTHER_SECTION.test(one));
  const all = Object.fromEntries(names.map((one) => [one, { ...credentialsFile[one], ...configFile[one] }]));
  const section: Section = Object.hasOwn(all, name) ? (all[name] ?? {}) : {};
  const { services: named } = section;
  return {
    name,
    section,
    all,
    services: named === undefined ? {} : configFile[`services${CONFIG_PREFIX_SEPARATOR}${named}`],
  };
}

type Service = 's3' | 'kms' | 'athena' | 'sts' | 'sso' | 'pricing' | 's3_control' | 'iam' | 'cloudwatch';

interface Configured {
  /** Address of this service alone, from a variable. */
  readonly ownVariable?: string | undefined;
  /** Address from the variable for all services, or else from the profile. */
  readonly others?: string | undefined;
}

async function configured(service: Service, sources: AwsSources): Promise<Configured> {
  const { env } = sources;
  const { name, section, services } = await awsProfile(sources);
  const ignored = env['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] || section['ignore_configured_endpoint_urls'];
  if (ignored === 'true') return {};
  const ownVariable = env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`];
  const general = env['AWS_ENDPOINT_URL'];
  if (ownVariable || general) return { ownVariable, others: general };
  if (services === undefined) {
    throw usageError(
      `the profile ${printable(name)} names the services section ${printable(section['services'] ?? '')}, and there is none`,
      'add it to the AWS config file, or name the server with --endpoint-url',
    );
  }
  return { others: services[`${service}${CONFIG_PREFIX_SEPARATOR}endpoint_url`] || section['endpoint_url'] };
}

function checkAddress(address: string | undefined): string | undefined {
  if (address === undefined || address === '') return undefined;
  if (/^https?:\/\//i.test(address) && URL.canParse(address)) return address;
  const shown = printable(address);
  const rest = shown.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  throw usageError(
    `'${shown}' is not the address of a server`,
    `write it with its scheme: https://${rest} or http://${rest}`,
  );
}

/** Returns the address of the store; undefined for AWS itself. @throws usage for a profile that contradicts itself */
export async function storeEndpoint(sources: EndpointSources): Promise<string | undefined> {
  const { endpointUrl } = sources;
  if (endpointUrl === null) return undefined;
  if (endpointUrl !== undefined && endpointUrl !== '') return checkAddress(endpointUrl);
  const { ownVariable, others } = await configured('s3', sources);
  return checkAddress(ownVariable || others);
}

/**
 * Returns the address of a service that works for the store; undefined for AWS itself. Credentials for a store that was named are sent
 * nowhere else, unless the service has an address of its own. @throws usage for a profile that contradicts itself
 */
export async function serviceEndpointOf(
  service: 'kms' | 'athena' | 'sts' | 's3_control',
  sources: EndpointSources,
): Promise<string | undefined> {
  const { endpointUrl } = sources;
  if (endpointUrl === null) return undefined;
  const { ownVariable, others } = await configured(service, sources);
  return checkAddress(ownVariable || endpointUrl || others);
}

/** Returns the address of KMS. */
export const kmsEndpoint = (sources: EndpointSources): Promise<string | undefined> => serviceEndpointOf('kms', sources);

/**
 * Returns the address of STS and SSO, which issue credentials, of IAM, of CloudWatch, or of the price list; undefined for AWS itself.
 * @throws as `storeEndpoint`
 */
export async function tokenEndpoint(
  service: 'sts' | 'sso' | 'pricing' | 'iam' | 'cloudwatch',
  sources: AwsSources,
): Promise<string | undefined> {
  const { ownVariable, others } = await configured(service, sources);
  return checkAddress(ownVariable || others);
}
