// `setup` and `access-check` ask a store anew whether it keeps If-None-Match, whatever is known of it.
import { hostname } from 'node:os';
import { randomBytes } from 'node:crypto';
import { answerOf, isAnswered, unknownFinding } from '../../core/access/answer.js';
import { finding, type Finding } from '../../core/access/finding.js';
import type { CreateOnceAnswer } from '../../core/create-once/answer.js';
import { askAnew } from '../../core/create-once/create-once.js';
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
  return finding(CHECK, 'critical', 'writers can overwrite each other', {
    detail: `Asked whether it keeps If-None-Match, ${seen}. Versions are not written there without --create-once yes.`,
  });
}
