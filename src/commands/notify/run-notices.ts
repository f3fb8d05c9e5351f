// The pings, hooks and metrics of a run.
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.js';
import type { SlotValues, NotifiedRun } from '../../cli/slots.js';
import { DEFAULT_HOOK_MS, type HookSettings } from '../../core/notify/hook-settings.js';
import { pingAddress } from '../../core/notify/ping-address.js';
import { hasNotices, type NoticeSettings, type NoticeWorld, withNotices } from '../../core/notify/with-notices.js';

/** Runs the work with pings, hooks and metrics. @throws what the work throws; usage, io for hooks */
export async function withRunNotices<T>({ values, context, ...noted }: NotifiedRun<T, Context>): Promise<T> {
  const settings = noticeSettings(values, context);
  return hasNotices(settings) ? await withNotices(settings, noticeWorld(values, context), noted) : await noted.work();
}

/** Reads the settings from the flags and the config file of this computer. @throws usage for an invalid address */
export const noticeSettings = (
  { pingUrl, textfile }: SlotValues,
  { cwd, settings, observer }: Pick<Context, 'cwd' | 'settings' | 'observer'>,
): NoticeSettings => ({
  pingUrl: typeof pingUrl === 'string' ? pingAddress(pingUrl) : undefined,
  textfile: typeof textfile === 'string' ? resolve(cwd, textfile) : undefined,
  hooks: hooksOf(settings),
  onEnd: observer?.metrics?.runEnded,
});

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as readonly string[]) : []);

const hooksOf = ({ before, after, onFailure, timeout, shell }: SlotValues): HookSettings => ({
  before: textsOf(before),
  after: textsOf(after),
  onFailure: textsOf(onFailure),
  timeoutMs: typeof timeout === 'number' ? timeout : DEFAULT_HOOK_MS,
  shell: shell === true,
});

export function noticeWorld(values: SlotValues, context: Context): NoticeWorld {
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
