// The pings, hooks and metrics of an upload or sync.
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.js';
import { failureOf } from '../../cli/errors.js';
import { withoutSecrets } from '../../core/platform/failures/hide-secrets.js';
import { pingAddress } from '../../core/notify/ping-address.js';
import type { RunFacts } from '../../core/events/run-facts.js';
import {
  hasNotices,
  type Judged,
  type NoticeSettings,
  type NoticeWorld,
  withNotices,
} from '../../core/notify/with-notices.js';
import type { UploadResult } from '../../core/archive/upload-result.js';
import type { writeDvcFiles } from './dvc-files.js';
import { isPartial } from './show-upload.js';

/** What a run gives. */
export interface Archived {
  readonly result: UploadResult;
  readonly written: Awaited<ReturnType<typeof writeDvcFiles>>;
}

/** What is known of a run before anything of it is looked at. */
export interface NoticedCall {
  readonly command: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** As they were typed. */
  readonly sources: readonly string[];
  readonly storeUrl: string;
}

/** The run with its pings, hooks and metrics. @throws as the run does; usage, io for hooks */
export async function noticed<T extends Archived>(
  { command, values, sources, storeUrl }: NoticedCall,
  work: () => Promise<T>,
  context: Context,
): Promise<T> {
  const settings = noticeSettings(values, context);
  if (values['dryRun'] === true || !hasNotices(settings)) return await work();
  const run = { command, source: sources.join(' '), store: storeUrl };
  return await withNotices(settings, noticeWorld(values, context), {
    run,
    work,
    ofResult: ({ result, written }) => {
      const isPart = isPartial(result, written);
      return { ...factsOf(result), exitStatus: isPart ? 3 : 0, status: isPart ? 'partial' : 'done' };
    },
    ofFailure: (error) => judgedFailure(error, context.signal),
  });
}

/** What the flags and the config file of this computer say. @throws usage for what is no address */
export const noticeSettings = (
  { pingUrl, textfile }: NoticedCall['values'],
  { cwd, hooks, observer }: Pick<Context, 'cwd' | 'hooks' | 'observer'>,
): NoticeSettings => ({
  pingUrl: typeof pingUrl === 'string' ? pingAddress(pingUrl) : undefined,
  textfile: typeof textfile === 'string' ? resolve(cwd, textfile) : undefined,
  hooks,
  onEnd: observer?.metrics?.runEnded,
});

/** What is told of a run that threw `error`. */
export function judgedFailure(error: unknown, signal: AbortSignal): Judged {
  const { exitCode, message } = failureOf(error, signal);
  const status = signal.aborted ? 'interrupted' : 'failed';
  return { exitStatus: exitCode, status, problem: withoutSecrets(message) };
}

const factsOf = ({ datasetId, uploadId, version, files, bytes, storedBytes }: UploadResult): RunFacts => ({
  datasetId,
  uploadId,
  version,
  files,
  bytes,
  storedBytes,
});

export function noticeWorld(values: NoticedCall['values'], context: Context): NoticeWorld {
  const { env, cwd, now, signal } = context;
  const caBundle = typeof values['caBundle'] === 'string' ? values['caBundle'] : undefined;
  return {
    env,
    network: async () => {
      const { networkOf } = await import('../../core/store/s3/s3-network.js');
      return await networkOf({ env, caBundle });
    },
    cwd,
    now,
    signal,
    tell: (text) => context.note(text),
    warn: (text) => context.warn(text),
  };
}
