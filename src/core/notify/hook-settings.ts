// Commands that this computer runs around an upload. They come from its own config file and from nowhere else
// (docs/decisions/047).
import { usageError } from '../platform/failures/errors.js';

export type HookName = 'before' | 'after' | 'onFailure';

export interface HookSettings {
  /** A program and its arguments; of one text alone, words are split at spaces, and quotes keep them together. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly onFailure: readonly string[];
  /** Then the hook and all that it has started are ended. */
  readonly timeoutMs: number;
  /** The one text of a hook is for `/bin/sh -c`. */
  readonly shell: boolean;
}

export const DEFAULT_HOOK_MS = 600_000;

export const NO_HOOKS: HookSettings = {
  before: [],
  after: [],
  onFailure: [],
  timeoutMs: DEFAULT_HOOK_MS,
  shell: false,
};

/** What to run: a program and its arguments; undefined for no hook. @throws usage for what is no command */
export function hookCommand(name: HookName, settings: HookSettings): readonly [string, ...string[]] | undefined {
  const given = settings[name];
  const [first, ...rest] = given;
  if (first === undefined) return undefined;
  if (settings.shell) {
    if (rest.length > 0) throw usageError(`hooks.${name} is a list, and hooks.shell wants one text for the shell`);
    return ['/bin/sh', '-c', first];
  }
  const [program, ...args] = rest.length > 0 ? given : wordsOf(name, first);
  if (program === undefined || program === '') throw usageError(`hooks.${name} names no program`);
  return [program, ...args];
}

const WORD = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"']+))(?=\s|$)/gy;

/** Split at spaces; `"…"` with backslashes and `'…'` are one word each. @throws usage for quotes that do not fit */
function wordsOf(name: HookName, text: string): readonly string[] {
  const words: string[] = [];
  const trimmed = text.trim();
  let end = 0;
  for (const match of trimmed.matchAll(WORD)) {
    const [, double, single, plain = ''] = match;
    words.push(double?.replaceAll(/\\(.)/g, '$1') ?? single ?? plain);
    end = match.index + match[0].length;
  }
  if (end === trimmed.length) return words;
  throw usageError(`hooks.${name} has quotes that do not fit`, 'write the program and its arguments as a list');
}
