// `restore STORE - --file PATH`: the one file goes to stdout, as `cat` prints it.
import type { Context } from '../../cli/context.js';
import { dashed, joinWords } from '../../cli/rule.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { shellWord } from '../../core/platform/text/shell-word.js';
import { memoryLimit } from '../kit/memory-limit.js';
import { printFiles } from '../kit/print-files.js';
import { SELECTOR_KEYS } from '../kit/selectors.js';
import type { StoreValues } from '../kit/store.js';
import { findUpload, type TargetValues } from '../kit/upload-target.js';

interface PrintValues extends StoreValues, TargetValues {
  readonly all: boolean;
  readonly file: readonly string[];
  readonly cacheGb: number;
}

/** Prints the file that --file names. @throws usage for any other selection, and for flags that can do nothing here */
export async function printOne(
  values: PrintValues,
  { url, idleKeys }: { readonly url: string; readonly idleKeys: readonly string[] },
  context: Context<'restore'>,
): Promise<void> {
  const { all, file } = values;
  const others = SELECTOR_KEYS.filter((key) => key !== 'file' && context.origins[key] === 'flag');
  if (all || file.length !== 1 || others.length > 0)
    throw usageError(
      'to stdout (-) goes one file, which one --file names',
      `archiver restore ${shellWord(url)} --to-tar - … writes all that is selected as a tar; ./- is a folder of that name`,
    );
  const idle = idleKeys.filter((key) => context.origins[key] === 'flag').map(dashed);
  if (idle.length > 0) throw usageError(`${joinWords(idle, 'and')} can do nothing where the file goes to stdout (-)`);
  if (context.json) throw usageError('stdout carries the content of the file (-): there is no --json');
  memoryLimit(context, 'reading content');
  await printFiles(file, { target: await findUpload(url, values, context), values }, context);
}
