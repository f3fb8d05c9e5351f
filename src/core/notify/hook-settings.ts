// Commands that this computer runs around an upload. They come only from its own config file (docs/decisions/047).
import { usageError } from '../platform/failures/errors.js';

export type HookName = 'before' | 'after' | 'onFailure';

export interface HookSettings {
  /** A program and its arguments; a single text is split into words at spaces, except within quotes. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly onFailure: readonly string[];
  /** Time limit in ms; then the hook and everything it has started are ended. */
  readonly timeoutMs: number;
  /** True when the text of a hook is passed to `/bin/sh -c`. */
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

/** Returns the program and arguments to run; undefined when there is no hook. @throws usage for an invalid command */
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

/** Splits at spaces; `"…"` with backslashes and `'…'` are one word each. @throws usage for unbalanced quotes */
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
