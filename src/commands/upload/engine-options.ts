// What every command that uploads hands to the engine in the same way: the machine, filters, the store, the caches.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism, hostname } from 'node:os';
import { threadsWithin } from '../../core/limits/open-files.js';
import { join } from 'node:path';
import pkg from '../../../package.json' with { type: 'json' };
import type { Context } from '../../cli/context.js';
import { type FilterOptions, readPatternFile } from '../../core/archive/scan/filter.js';
import type { TransferOptions } from '../../core/archive/transfer/transfer-policy.js';
import type { UploadOptions } from '../../core/archive/upload.js';
import { openHeadCache } from '../../core/dataset/head-cache.js';
import { openManifestCache } from '../../core/dataset/manifest-cache.js';
import { usageError } from '../../core/failures/errors.js';
import type { EventSink } from '../../core/events.js';
import { withoutLogin } from '../../core/object-store/endpoint-url.js';
import { type OpenedStore, openStore, type OpenStoreOptions } from '../../core/object-store/open-store.js';
import type { EndpointSources } from '../../core/object-store/s3-profile.js';
import { joinStoreUrl, parseStoreUrl, splitUploadUrl } from '../../core/object-store/store-url.js';

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const MIN_MEMORY = 192 * MIB;
/** Of manifests kept on this computer; a million entries are 42 MB. */
const CACHE_LIMIT = GIB;

/** Default of --frame-size, for commands without it. */
export const DEFAULT_FRAME_BYTES = 16 * MIB;

/** How the flags' defaults steer the transfer, for commands without those flags. */
export const DEFAULT_TRANSFER: TransferOptions = {
  optimization: true,
  congestionControl: 'auto',
  transporter: 'staging',
  disableStaging: false,
};

type Machine = 'host' | 'workers' | 'memoryLimitBytes' | 'tool' | 'now' | 'randomBytes' | 'signal';

/** @throws usage when --memory-limit is too small to work in */
export function machineOptions(context: Context): Pick<UploadOptions, Machine> {
  const { memoryLimitBytes } = context;
  if (memoryLimitBytes !== undefined && memoryLimitBytes < MIN_MEMORY) {
    throw usageError(`--memory-limit must be at least ${MIN_MEMORY / MIB}MiB for an upload`);
  }
  return {
    host: hostname(),
    workers: workersFor(memoryLimitBytes),
    memoryLimitBytes,
    tool: `archiver ${pkg.version}`,
    now: context.now,
    randomBytes,
    signal: context.signal,
  };
}

// One worker a core, up to sixteen: beyond that the main thread's sending is the limit. Less memory, fewer workers.
function workersFor(memoryLimitBytes: number | undefined): number {
  const cores = threadsWithin(Math.min(16, availableParallelism()));
  if (memoryLimitBytes === undefined) return cores;
  return Math.max(1, Math.min(cores, Math.floor((memoryLimitBytes / MIB - 128) / 96)));
}

export interface FilterValues {
  readonly exclude: readonly string[];
  readonly include: readonly string[];
  readonly excludeFile: string | undefined;
  readonly excludeCaches: boolean;
  readonly oneFileSystem: boolean;
}

/** What the filter flags say. */
export function filterOptions(values: FilterValues, skipTrees: FilterOptions['skipTrees']): FilterOptions {
  const { exclude, include, excludeFile, excludeCaches, oneFileSystem } = values;
  const excludeLines =
    excludeFile === undefined ? [] : readPatternFile(excludeFile, (path) => readFileSync(path, 'latin1'));
  return { exclude, include, excludeLines, excludeCaches, oneFileSystem, skipTrees };
}

export interface StoreValues {
  readonly region: string;
  readonly profile: string | undefined;
  readonly endpointUrl: string | undefined;
  /** Of an upload that goes on: the KMS that it began with. */
  readonly kmsEndpointUrl?: string | null | undefined;
  readonly limitUpload: number | undefined;
  readonly storeMode: number | undefined;
}

/** Opens a store for writing. */
export function openForWriting(
  url: string,
  values: StoreValues,
  context: Context,
  network: Pick<OpenStoreOptions, 'maxSockets' | 'idle' | 'http2' | 'timeouts'> = {},
): (onEvent: EventSink) => Promise<OpenedStore> {
  return (onEvent) =>
    openStore(url, {
      ...network,
      env: context.env,
      region: values.region,
      regionGiven: context.origins['region'] !== 'default',
      defaultRegion: values.region,
      profile: values.profile,
      endpointUrl: values.endpointUrl,
      kmsEndpointUrl: values.kmsEndpointUrl,
      limitUploadBytesPerSecond: values.limitUpload,
      storeMode: values.storeMode,
      onEvent,
      signal: context.signal,
    });
}

export interface EncryptionValues {
  readonly kmsKeyId: string | undefined;
  readonly encryptManifest: boolean;
}

/**
 * How the upload to `url` is encrypted: at least as its predecessor is, unless --no-encrypt-manifest says otherwise.
 * @throws usage for a folder
 */
export function encryptionOptions(
  { kmsKeyId, encryptManifest }: EncryptionValues,
  url: string,
  { origins }: Pick<Context, 'origins'>,
): NonNullable<UploadOptions['encryption']> {
  if (kmsKeyId !== undefined && parseStoreUrl(url).kind === 'file')
    throw usageError('a folder cannot encrypt with KMS: --kms-key-id needs an s3:// destination');
  const isRefused = !encryptManifest && (origins['encryptManifest'] ?? 'default') !== 'default';
  return { kmsKeyId, encryptManifest, keep: !isRefused };
}

/** For commands without flags of their own for it: as the version before. */
export const KEPT_ENCRYPTION: NonNullable<UploadOptions['encryption']> = {
  kmsKeyId: undefined,
  encryptManifest: false,
  keep: true,
};

/** Where this computer remembers manifests, and the heads of datasets at `url`. */
export async function rememberedManifests(
  url: string,
  { endpointUrl, profile }: Pick<StoreValues, 'endpointUrl' | 'profile'>,
  context: Context,
): Promise<Required<Pick<UploadOptions, 'cache' | 'heads'>>> {
  const server = await serverOf(url, { endpointUrl, profile, env: context.env });
  const folder = join(context.home, 'manifest-cache');
  const onTrouble = (text: string): void => context.warn(text);
  return {
    cache: openManifestCache({ folder, limitBytes: CACHE_LIMIT, onTrouble }),
    heads: openHeadCache(folder, onTrouble, server),
  };
}

async function serverOf(url: string, sources: EndpointSources): Promise<string | undefined> {
  if (parseStoreUrl(url).kind === 'file') return undefined;
  const { storeEndpoint } = await import('../../core/object-store/s3-profile.js');
  return withoutLogin(await storeEndpoint(sources));
}

/** @throws usage when a storage class is asked of a folder */
export function refuseClassOfFolder(
  url: string,
  { storageClass, autoTier = false }: { readonly storageClass: string; readonly autoTier?: boolean },
): void {
  if (parseStoreUrl(url).kind !== 'file' || (storageClass === 'STANDARD' && !autoTier)) return;
  const flag = autoTier ? '--auto-tier' : `--storage-class ${storageClass}`;
  throw usageError(`a folder has no storage classes: ${flag} needs an s3:// destination`);
}

/** The place above `uploads/`. @throws usage for the URL of an upload */
export function baseUrlOf(url: string): string {
  if (splitUploadUrl(url) !== undefined) {
    throw usageError(`${url} is an upload; name the place above uploads/ that new uploads go to`);
  }
  return joinStoreUrl(url);
}
