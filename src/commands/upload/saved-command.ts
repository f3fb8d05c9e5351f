// The command line of an upload as its saved state keeps it: what `archiver resume` needs to run it again, and what two
// runs must have in common to be the same upload. No secrets: credentials come from the environment or a profile again.
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.js';
import { endpointOf } from '../../core/object-store/endpoint-url.js';
import type { RawPath } from '../../core/raw-path.js';
import type { SavedCommand } from '../../core/resume/upload-state.js';

export interface UploadCommand {
  /** Its words. */
  readonly command: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Each as it was given, and where it really lies. */
  readonly sources: readonly { readonly given: string; readonly real: RawPath }[];
  /** The place above `uploads/`, without the writer. */
  readonly destination: string;
  readonly storeUrl: string;
}

/** Of one run only. */
const NOT_KEPT = new Set(['dryRun', 'forceRestart', 'json', 'progressFormat', 'quiet', 'resume', 'uploadId', 'yes']);
/** Kept, and free to differ: nothing in the store depends on them. */
const FREE = new Set([
  'cleanupOnFailure',
  'dvcOutputDir',
  'generateDvcFiles',
  'http2',
  'http2MaxStreams',
  'idleConnTimeout',
  'limitUpload',
  'maxIdleConns',
  'networkProfile',
  'profile',
  'region',
  'skipExisting',
  'workers',
]);
/** Relative to where the command ran. */
const PATHS = ['dvcOutputDir', 'excludeFile', 'prevManifest'];

/** What of a command line is written down. */
export function savedCommand(run: UploadCommand, context: Context): SavedCommand {
  const { command, values, sources, destination, storeUrl } = run;
  const flags = Object.fromEntries(
    Object.entries(values).filter(([key, value]) => !NOT_KEPT.has(key) && value !== undefined),
  );
  for (const key of PATHS) {
    const path = flags[key];
    if (typeof path === 'string') flags[key] = resolve(context.cwd, path);
  }
  const given = values['endpointUrl'];
  const endpoint = endpointOf(typeof given === 'string' ? given : undefined, context.env);
  if (endpoint !== undefined) flags['endpointUrl'] = endpoint;
  return {
    command,
    sources: sources.map(({ given }) => resolve(context.cwd, given)),
    sourceKey: Buffer.from(
      sources
        .map(({ real }) => real)
        .toSorted()
        .join('\0'),
      'latin1',
    ).toString('base64'),
    destination,
    storeUrl,
    ...(endpoint === undefined ? {} : { endpoint }),
    flags,
    origins: { ...context.origins },
  };
}

/** True for two runs of one upload: the same folder to the same place. */
export const isSameUpload = (a: SavedCommand, b: SavedCommand): boolean =>
  a.command === b.command && a.sourceKey === b.sourceKey && a.storeUrl === b.storeUrl && a.endpoint === b.endpoint;

/** Keys of the flags in which two runs of one upload differ. */
export function differingFlags(a: SavedCommand, b: SavedCommand): readonly string[] {
  const keys = new Set([...Object.keys(a.flags), ...Object.keys(b.flags)]);
  const text = ({ flags }: SavedCommand, key: string): string => JSON.stringify(flags[key] ?? null);
  return [...keys].filter((key) => !FREE.has(key) && text(a, key) !== text(b, key)).sort();
}
