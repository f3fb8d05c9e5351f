// Saves a result to the file that --output names.
import { resolve } from 'node:path';
import type { Places, Results } from '../../cli/context.js';
import { documentLine } from '../../core/platform/json/document.js';
import { printable } from '../../core/platform/paths/raw-path.js';

interface Saving {
  readonly document: object;
  readonly text: string;
  /** The file; undefined, or -, for stdout. */
  readonly output: string | undefined;
}

/** The text that is left to print, and the key of the document that names the file. */
interface Saved {
  readonly text: string;
  readonly about: { readonly writtenTo?: string };
}

/**
 * Writes the text, or with --json the document, to the file; without a file the text is returned to be printed. @throws access-denied,
 * no-space, io
 */
export async function saveText(
  { document, text, output }: Saving,
  { cwd, json }: Pick<Results<string>, 'json'> & Pick<Places, 'cwd'>,
): Promise<Saved> {
  if (output === undefined || output === '-') return { text, about: {} };
  const { fileFailure } = await import('../../core/platform/failures/file-failure.js');
  const { replaceFile } = await import('../../core/platform/state/replace-file.js');
  const path = resolve(cwd, output);
  try {
    await replaceFile(path, json ? documentLine(document) : text);
  } catch (error) {
    throw fileFailure('write', path, error);
  }
  return { text: `written to ${printable(path)}\n`, about: { writtenTo: path } };
}
