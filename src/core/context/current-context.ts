// Which context holds for a call, and what set it.
import { type ContextName, contextPath, readContext, type SavedContext } from './context-file.js';

/** What `archiver` without a command does in each. */
export const ABOUT_CONTEXTS: Readonly<Record<ContextName, string>> = {
  local: 'archiver without a command prints help',
  repl: 'archiver without a command starts the shell',
};

export interface CurrentContext extends SavedContext {
  /** `--context`, `ARCHIVER_CONTEXT`, the path of the context file, or `default`. */
  readonly source: string;
  readonly file: string;
}

/** `given`: what --context or ARCHIVER_CONTEXT says; `origins` tells which. @throws what `readContext` throws */
export async function currentContext(
  given: ContextName | undefined,
  { origins, userHome }: { readonly origins: Readonly<Record<string, string>>; readonly userHome: string },
): Promise<CurrentContext> {
  const file = contextPath(userHome);
  const saved = await readContext(file);
  const { context, stores } = saved ?? { context: 'local', stores: [] };
  const giver = origins['context'] === 'flag' ? '--context' : 'ARCHIVER_CONTEXT';
  if (given !== undefined) return { context: given, stores, source: giver, file };
  return { context, stores, source: saved === undefined ? 'default' : file, file };
}
