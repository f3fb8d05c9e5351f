// `archiver config --edit`: the editor works on a copy, and only a valid copy replaces the file.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ArchiverError, systemCode, usageError } from '../core/platform/failures/errors.js';
import { printable } from '../core/platform/paths/raw-path.js';
import { configPlaces } from '../core/config/config-places.js';
import { problemText } from '../core/config/load-config.js';
import { parseConfig } from '../core/config/parse-config.js';
import { replaceFile } from '../core/platform/state/replace-file.js';
import { exampleYaml } from './config-generate.js';
import { allProblems } from './config-problems.js';
import { configSchema } from './config-tree.js';
import type { Context } from './context.js';

const filled = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

const isSame = (a: Buffer | undefined, b: Buffer | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a.equals(b);

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw new ArchiverError('io', `${printable(path)} cannot be read (${systemCode(error) ?? 'unknown reason'})`, {
      cause: error,
    });
  }
}

/** Returns the file to edit: the named one, or else the first that exists, or else the first place of the search. */
async function fileToEdit(
  context: Context<'config'>,
  named: string | undefined,
): Promise<{ path: string; bytes: Buffer | undefined }> {
  const paths = named === undefined ? configPlaces(context).paths : [resolve(context.cwd, named)];
  for (const path of paths) {
    const bytes = await readIfThere(path);
    if (bytes !== undefined) return { path, bytes };
  }
  return { path: paths[0] ?? '', bytes: undefined };
}

/** Runs the editor through the shell, as git does: $EDITOR may contain arguments. */
async function runEditor(editor: string, path: string, context: Context): Promise<void> {
  const status = await new Promise<number | null>((settle, fail) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$@"`, editor, path], { stdio: 'inherit', cwd: context.cwd });
    child.once('error', fail);
    child.once('close', settle);
  });
  if (status !== 0) {
    throw new ArchiverError(
      'io',
      `the editor "${editor}" ended with status ${status ?? 'of a signal'}; nothing was changed`,
      {
        hint: `your copy is kept in ${path}`,
      },
    );
  }
}

/** Opens the config file in the editor and replaces it when the result is valid. */
export async function editConfig(
  { file }: { readonly file: string | undefined },
  context: Context<'config'>,
): Promise<void> {
  if (context.stdin.isTTY !== true || context.stdout.isTTY !== true) {
    throw usageError('--edit opens an editor and needs a terminal', 'archiver config --generate > ~/.archiver.yaml');
  }
  const editor = filled(context.env['VISUAL']) ?? filled(context.env['EDITOR']) ?? 'vi';
  const { path, bytes } = await fileToEdit(context, file);
  const copy = join(await mkdtemp(join(tmpdir(), 'archiver-config-')), 'archiver.yaml');
  await writeFile(copy, bytes ?? exampleYaml(context.tree()), { mode: 0o600 });
  await runEditor(editor, copy, context);
  context.signal.throwIfAborted();
  const after = await readFile(copy);

  const schema = configSchema(context.tree());
  const problem = allProblems(schema, await parseConfig(after, schema))[0];
  if (problem !== undefined) {
    throw new ArchiverError('usage', `${printable(path)} was not changed: ${problemText(copy, problem)}`, {
      hint: `${problem.hint === undefined ? '' : `${problem.hint}\n`}your copy is kept; check it with archiver config --validate --file ${copy}`,
      exitCode: 1,
    });
  }
  if (!isSame(await readIfThere(path), bytes)) {
    throw new ArchiverError(
      'conflict',
      `${printable(path)} was changed by someone else meanwhile and is left as it is`,
      {
        hint: `your copy is kept in ${copy}`,
      },
    );
  }
  const isChanged = !isSame(after, bytes);
  if (isChanged) await replaceFile(path, after);
  await rm(dirname(copy), { recursive: true, force: true });
  context.result(
    { file: path, changed: isChanged },
    () => `${printable(path)} ${isChanged ? 'is saved' : 'is unchanged'}\n`,
  );
}
