// Whether a store creates a key only once: known or asked where something is written, asked anew by `setup` and `access-check`.
import { hostname } from 'node:os';
import { randomBytes } from 'node:crypto';
import { answerOf, isAnswered, unknownFinding } from '../../core/access/answer.js';
import { finding, type Finding } from '../../core/access/finding.js';
import type { CreateOnceAnswer } from '../../core/create-once/answer.js';
import { askAnew, asWritable } from '../../core/create-once/create-once.js';
import { newUploadId, uploadFolder } from '../../core/manifest/upload-id.js';
import type { OpenedStore } from '../../core/object-store/open-store.js';
import type { StoreContext } from './store.js';

/**
 * Asks in the folder of an upload that never is, by `askAnew`, which remembers the answer, or as it is told.
 * @throws what keeps the store from answering
 */
export async function askCreateOnce(
  opened: OpenedStore,
  { home, now, signal, warn }: StoreContext,
  ask = askAnew,
): Promise<CreateOnceAnswer> {
  const folder = uploadFolder(newUploadId(now(), randomBytes(4)));
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

/** What `access-check` says of it. */
export async function createOnceFinding(opened: OpenedStore, context: StoreContext): Promise<Finding> {
  const asked = await answerOf('s3:PutObject', () => askCreateOnce(opened, context));
  if (!isAnswered(asked)) {
    const { isRefused, why } = asked.unanswered;
    const refused = 'Whether one of two writers at one key is refused is asked by storing small objects';
    return unknownFinding(CHECK, { ...asked.unanswered, why: isRefused ? refused : why });
  }
  const { kind, seen } = asked.value;
  if (kind === 'create-once') return finding(CHECK, 'ok', 'of two writers at one key one is refused');
  return finding(CHECK, 'warn', 'of two writers at one key none is refused', {
    detail: `Asked whether it keeps If-None-Match, ${seen}. Versions get keys of their own there; a stolen key that may only put can overwrite what is stored.`,
    remediation: 'Turn on versions or Object Lock where the server has them (docs/security.md).',
  });
}
