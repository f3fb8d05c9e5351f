// Determines the context of a call, and where it was set.
import { type ContextName, contextPath, readContext, type SavedContext } from './context-file.js';

/** Describes what `archiver` without a command does in each context. */
export const ABOUT_CONTEXTS: Readonly<Record<ContextName, string>> = {
  local: 'archiver without a command prints help',
  repl: 'archiver without a command starts the shell',
};

export interface CurrentContext extends SavedContext {
  /** `--context`, `ARCHIVER_CONTEXT`, the path of the context file, or `default`. */
  readonly source: string;
  readonly file: string;
}

/** `given` is the value of --context or ARCHIVER_CONTEXT; `origins` tells which. @throws what `readContext` throws */
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
