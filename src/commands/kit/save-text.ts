// A result that goes to a file where --output names one.
import { resolve } from 'node:path';
import type { Places, Results } from '../../cli/context.js';
import { documentLine } from '../../core/platform/json/document.js';
import { printable } from '../../core/platform/paths/raw-path.js';

interface Saved {
  readonly document: object;
  readonly text: string;
  /** Undefined: stdout. */
  readonly output: string | undefined;
}

/** Prints the result, or writes to the file what would be printed: the document with --json. @throws access-denied, no-space, io */
export async function saveText(
  { document, text, output }: Saved,
  context: Results & Pick<Places, 'cwd'>,
): Promise<void> {
  if (output === undefined) return context.result(document, () => text);
  const { fileFailure } = await import('../../core/platform/failures/file-failure.js');
  const { replaceFile } = await import('../../core/platform/state/replace-file.js');
  const path = resolve(context.cwd, output);
  try {
    await replaceFile(path, context.json ? documentLine(document) : text);
  } catch (error) {
    throw fileFailure('write', path, error);
  }
  context.result({ ...document, writtenTo: path }, () => `written to ${printable(path)}\n`);
}
