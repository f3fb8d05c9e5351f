// Asks again whether a store creates a key only once, for `setup` and `access-check`.
import { type Answer, isAnswered, unknownFinding } from '../../core/access/answer.js';
import { finding, type Finding } from '../../core/access/finding.js';
import type { CreateOnceAnswer } from '../../core/store/create-once/answer.js';
import { refreshCreateOnce, probeOptionsOf } from '../../core/store/create-once/create-once.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import type { StoreContext } from '../kit/store.js';

/** Asks the store with `ask`, by default `refreshCreateOnce`, which remembers the answer. @throws what keeps the store from answering */
export async function askCreateOnce(
  opened: OpenedStore,
  { home, now, signal, warn }: StoreContext,
  ask = refreshCreateOnce,
): Promise<CreateOnceAnswer> {
  return await ask(opened, probeOptionsOf({ home, now, signal, warn }));
}

const CHECK = 'create-once';

/** The finding of `access-check` about the answer. */
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
