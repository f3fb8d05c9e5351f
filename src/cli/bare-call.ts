// Chooses what `archiver` without a command does: help in the context local, the shell in the context repl. A context in the call overrides
// the context file.
import type { Readable } from 'node:stream';
import { contextPath, readContext } from '../core/context/context-file.js';
import { usageError } from '../core/platform/failures/errors.js';
import type { Command } from './command.js';
import { frameworkFlags } from './global-flags.js';
import type { Host } from './host.js';
import { resolveLayers } from './layers.js';
import { tokenize } from './tokenize.js';
import { findNode, type Node } from './tree.js';

const flags = { context: frameworkFlags.context };

/**
 * Returns the command that a call without a command runs; undefined for help. `argv` comes from `normalizeArgv`. @throws usage for a bad
 * value, or when nobody could type into the shell; what `readContext` throws
 */
export async function bareCommand(
  root: Node<Command>,
  argv: readonly string[],
  host: Host,
): Promise<Command | undefined> {
  const { texts } = await tokenize(root.globals.flags, argv);
  const { values } = resolveLayers(flags, { path: '', texts, env: host.env, config: () => undefined });
  const context = values['context'] ?? (await readContext(contextPath(host.userHome)))?.context;
  const shell = context === 'repl' ? findNode(root, ['shell'])?.command : undefined;
  if (shell !== undefined && host.stdin.isTTY !== true && (await isEmpty(host.stdin)))
    throw usageError(
      'the context repl starts the shell, and there is no terminal and nothing on stdin',
      'name a command, or use --context local',
    );
  return shell;
}

/** Waits for the first bytes, which stay in the stream. */
async function isEmpty(stdin: Readable): Promise<boolean> {
  if (stdin.readableEnded || stdin.destroyed) return true;
  return await new Promise((resolve, reject) => {
    stdin.once('error', reject);
    stdin.once('readable', () => {
      stdin.off('error', reject);
      const chunk: unknown = stdin.read();
      if (chunk !== null) stdin.unshift(chunk);
      resolve(chunk === null);
    });
  });
}
