// Whether a store creates a key only once: known or asked where something is written, asked anew by `setup` and `access-check`.
import { hostname } from 'node:os';
import { randomBytes } from 'node:crypto';
import { type Answer, isAnswered, unknownFinding } from '../../core/access/answer.js';
import { finding, type Finding } from '../../core/access/finding.js';
import type { CreateOnceAnswer } from '../../core/create-once/answer.js';
import { askAnew, asWritable } from '../../core/create-once/create-once.js';
import { newUploadId, uploadFolder } from '../../core/ids/upload-id.js';
import type { OpenedStore } from '../../core/object-store/open-store.js';
import type { StoreContext } from './store.js';

/** Where a store is asked by putting: the folder of an upload that never is. */
export const scratchFolder = (now: () => Date): string => uploadFolder(newUploadId(now(), randomBytes(4)));

/** Asks by `askAnew`, which remembers the answer, or as it is told. @throws what keeps the store from answering */
export async function askCreateOnce(
  opened: OpenedStore,
  { home, now, signal, warn }: StoreContext,
  ask = askAnew,
): Promise<CreateOnceAnswer> {
  const folder = scratchFolder(now);
  return await ask(opened, { home, now: now(), signal, warn, host: hostname(), folder, randomBytes });
}

export interface Writing {
  /** `--exclusive`: nobody else writes there now. */
  readonly isExclusive?: boolean | undefined;
  /** Then nothing is asked. */
  readonly dryRun?: boolean | undefined;
}

/** The store as it is written to. @throws what keeps it from answering */
export async function writableStore(
  opened: OpenedStore,
  { home, now, signal, warn }: StoreContext,
  { isExclusive = false, dryRun = false }: Writing = {},
): Promise<OpenedStore> {
  const folder = uploadFolder(newUploadId(now(), randomBytes(4)));
  const asking = { home, now: now(), signal, warn, host: hostname(), folder, randomBytes };
  return await asWritable(opened, { ...asking, isExclusive, dryRun });
}

const CHECK = 'create-once';

/** What `access-check` says of the answer. */
export function createOnceFinding(asked: Answer<CreateOnceAnswer>): Finding {
  if (!isAnswered(asked)) {
    const { isRefused, why } = asked.unanswered;
    const refused = 'Whether one of two writers at one key is refused is asked by storing small objects';
    return unknownFinding(CHECK, { ...asked.unanswered, why: isRefused ? refused : why });
  }
  const { kind, seen } = asked.value;
  if (kind === 'create-once') return finding(CHECK, 'ok', 'of two writers at one key one is refused');
  return finding(CHECK, 'warn', 'a key is not created only once', {
    detail: `Asked whether it keeps If-None-Match, ${seen}. Versions get record keys of their own there, so that none overwrites another; two that are made at once may be forks (v2 and v2.b). A stolen key can overwrite what is stored.`,
  });
}
