// The command line of an upload as its saved state keeps it: what `archiver resume` needs to run it again, and what two runs must have in
// common to be the same upload. It has no secrets: credentials come from the environment or a profile again.
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.js';
import { withoutLogin } from '../../core/store/endpoint-url.js';
import { parseStoreUrl } from '../../core/store/store-url.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { printable, type RawPath, bytesOf, joinParts } from '../../core/platform/paths/raw-path.js';
import type { SavedCommand, UploadState } from '../../core/archive/resume/upload-state.js';
import type { UploadId } from '../../core/store/ids/upload-id.js';
import { isObjectUrl } from './object-flags.js';

export interface UploadCommand {
  /** Words of the command. */
  readonly command: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Each folder as it was given, and its real path. */
  readonly sources: readonly { readonly given: string; readonly real: RawPath }[];
  /** The place above `uploads/`, without the writer. */
  readonly destination: string;
  readonly storeUrl: string;
}

/** Flags that are not saved: they concern one run only, or name the destination, which is saved by itself. */
const NOT_SAVED = new Set([
  'bucket',
  'dryRun',
  'forceRestart',
  'json',
  'pingUrl',
  'prefix',
  'progressFormat',
  'prometheusAddr',
  'quiet',
  'resume',
  'tracing',
  'tracingEndpoint',
  'tracingExporter',
  'tracingSampleRate',
  'uploadHistory',
  'uploadId',
  'yes',
]);
/** Flags that are saved and may differ when the upload is resumed: nothing in the store depends on them. */
const MAY_DIFFER = new Set([
  'allowMassDelete',
  'also',
  'budgetStore',
  'checkAccess',
  'cleanupOnFailure',
  'createOnce',
  'dvcOutputDir',
  'failOn',
  'generateDvcFiles',
  'http2',
  'http2MaxStreams',
  'ignoreBudget',
  'idleConnTimeout',
  'kmsEndpointUrl',
  'limitDownload',
  'limitUpload',
  'maxIdleConns',
  'networkProfile',
  'newStore',
  'profile',
  'receipt',
  'region',
  'removeSourceAfter',
  'skipExisting',
  'sourceProfile',
  'sourceRegion',
  'tempDir',
  'textfile',
  'workers',
]);
/** Flags whose paths are relative to the working directory. */
const PATH_FLAGS = [
  'dvcOutputDir',
  'excludeFile',
  'filesFrom',
  'filesFromRaw',
  'prevManifest',
  'receipt',
  'tempDir',
  'textfile',
];
/** Matches a store that is given as a relative path. */
const RELATIVE = /^\.{1,2}(?:\/|$)/;

/** Returns the part of a command line that is saved. @throws usage for a profile that contradicts itself */
export async function savedCommand(run: UploadCommand, context: Context): Promise<SavedCommand> {
  const { command, values, sources, destination, storeUrl } = run;
  const flags = Object.fromEntries(
    Object.entries(values).filter(([key, value]) => !NOT_SAVED.has(key) && value !== undefined),
  );
  for (const key of PATH_FLAGS) {
    const path = flags[key];
    if (typeof path === 'string' && path !== '-') flags[key] = resolve(context.cwd, path);
  }
  const book = flags['budgetStore'];
  if (typeof book === 'string' && RELATIVE.test(book)) flags['budgetStore'] = resolve(context.cwd, book);
  const { endpoint, kms } = await serversOf(run, context);
  if (endpoint !== undefined) {
    // Saved as if the flag had given it. As that flag also moves KMS, the KMS server is saved as well.
    flags['endpointUrl'] = endpoint;
    flags['kmsEndpointUrl'] = kms ?? null;
  }
  return {
    command,
    sources: sources.map(({ given, real }) => (isObjectUrl(real) ? given : resolve(context.cwd, given))),
    sourceKey: bytesOf(joinParts(sources.map(({ real }) => real).toSorted(), '\0')).toString('base64'),
    destination,
    storeUrl,
    ...(endpoint === undefined ? {} : { endpoint }),
    flags,
    origins: { ...context.origins },
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The servers that the command writes to and gets its keys from; undefined for AWS itself and folders. */
async function serversOf(
  { values, storeUrl }: UploadCommand,
  { env }: Context,
): Promise<{ readonly endpoint?: string | undefined; readonly kms?: string | undefined }> {
  if (parseStoreUrl(storeUrl).kind === 'file') return {};
  const sources = { env, profile: textOf(values['profile']), endpointUrl: textOf(values['endpointUrl']) };
  const { kmsEndpoint, storeEndpoint } = await import('../../core/store/s3/s3-profile.js');
  const saved = values['kmsEndpointUrl'];
  const kms = saved === undefined ? await kmsEndpoint(sources) : textOf(saved);
  return { endpoint: withoutLogin(await storeEndpoint(sources)), kms: withoutLogin(kms) };
}

/** Refuses to continue an upload on another server. @throws usage when this run would use another one, unless --endpoint-url asks for it */
export function refuseElsewhere(uploadId: UploadId, begun: SavedCommand, now: SavedCommand, run: UploadCommand): void {
  if (begun.endpoint === now.endpoint || run.values['endpointUrl'] !== undefined) return;
  const name = (endpoint: string | undefined): string => (endpoint === undefined ? 'AWS itself' : printable(endpoint));
  throw usageError(
    `upload ${uploadId} was started on ${name(begun.endpoint)}, but ${name(now.endpoint)} is configured now`,
    `AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true archiver resume ${uploadId} continues on AWS, --endpoint-url URL on another server`,
  );
}

/** True for two runs of one upload: the same folder to the same place. */
export const isSameUpload = (a: SavedCommand, b: SavedCommand): boolean =>
  a.command === b.command && a.sourceKey === b.sourceKey && a.storeUrl === b.storeUrl && a.endpoint === b.endpoint;

/** True if the lock on what the upload has sent is over: nothing that is added could be locked for as long as the rest. */
export function isLockOver({ createdAt }: Pick<UploadState, 'createdAt'>, { flags }: SavedCommand, now: Date): boolean {
  const { retain } = flags;
  return typeof retain === 'number' && Date.parse(createdAt) + retain <= now.getTime();
}

/** Keys of the flags in which two runs of one upload differ. */
export function differingFlags(a: SavedCommand, b: SavedCommand): readonly string[] {
  const keys = new Set([...Object.keys(a.flags), ...Object.keys(b.flags)]);
  const text = ({ flags }: SavedCommand, key: string): string => JSON.stringify(flags[key] ?? null);
  return [...keys].filter((key) => !MAY_DIFFER.has(key) && text(a, key) !== text(b, key)).sort();
}
