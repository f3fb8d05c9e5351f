// `archiver context`, and its `list`, `show`, `switch` and `reset`.
import type { Context } from '../../cli/context.js';
import {
  CONTEXT_NAMES,
  type ContextName,
  contextPath,
  readContext,
  type RememberedStore,
  removeContext,
  type SavedContext,
  writeContext,
} from '../../core/context/context-file.js';
import { printable } from '../../core/paths/raw-path.js';
import type { ContextValues } from './_flags.js';

const ABOUT: Readonly<Record<ContextName, string>> = {
  local: 'archiver without a command prints help',
  repl: 'archiver without a command starts the shell',
};

interface Current extends SavedContext {
  /** Where it comes from. */
  readonly source: string;
  readonly file: string;
}

async function current(values: ContextValues, { origins, userHome }: Context): Promise<Current> {
  const file = contextPath(userHome);
  const saved = await readContext(file);
  const { context, stores } = saved ?? { context: 'local', stores: [] };
  const isFlag = origins['context'] === 'flag';
  if (values.context !== undefined)
    return { context: values.context, stores, source: isFlag ? '--context' : 'ARCHIVER_CONTEXT', file };
  return { context, stores, source: saved === undefined ? 'default' : file, file };
}

/** Runs `archiver context`. */
export async function runContext(values: ContextValues, context: Context): Promise<void> {
  const { context: name, source } = await current(values, context);
  context.result({ context: name, source }, () => `${name}\n`);
}

/** Runs `archiver context list`. */
export async function runContextList(values: ContextValues, context: Context): Promise<void> {
  const { context: name } = await current(values, context);
  const contexts = CONTEXT_NAMES.map((known) => ({ name: known, about: ABOUT[known], isCurrent: known === name }));
  context.result({ contexts }, () =>
    contexts
      .map(({ name: known, about, isCurrent }) => `${isCurrent ? '*' : ' '} ${known.padEnd(5)}  ${about}\n`)
      .join(''),
  );
}

/** Runs `archiver context show`. */
export async function runContextShow(values: ContextValues, context: Context): Promise<void> {
  const { context: name, source, file, stores } = await current(values, context);
  context.result({ context: name, source, cwd: context.cwd, file, stores }, () =>
    [
      `context  ${name} (${printable(source)})`,
      `folder   ${printable(context.cwd)}`,
      `file     ${printable(file)}`,
      ...(stores.length === 0 ? ['stores   none was opened yet'] : stores.map(storeLine)),
      '',
    ].join('\n'),
  );
}

function storeLine({ url, region, endpointUrl }: RememberedStore, index: number): string {
  const about = [region, endpointUrl].filter((text) => text !== undefined).join(', ');
  return `${index === 0 ? 'stores ' : '       '}  ${printable(about === '' ? url : `${url} (${about})`)}`;
}

/** Runs `archiver context switch`. */
export async function runContextSwitch(name: ContextName, context: Context): Promise<void> {
  const file = contextPath(context.userHome);
  const stores = (await readContext(file))?.stores ?? [];
  await writeContext(file, { context: name, stores });
  if ((context.env['ARCHIVER_CONTEXT'] ?? '') !== '')
    context.note(`ARCHIVER_CONTEXT is set to ${printable(context.env['ARCHIVER_CONTEXT'] ?? '')} and comes before it`);
  context.result({ context: name, file }, () => `context ${name}: ${ABOUT[name]}\n`);
}

/** Runs `archiver context reset`. */
export async function runContextReset(context: Context): Promise<void> {
  const file = contextPath(context.userHome);
  const isRemoved = await removeContext(file);
  context.result({ context: 'local', file, isRemoved }, () =>
    isRemoved ? `context local; removed ${printable(file)}\n` : 'context local; there was no context file\n',
  );
}
