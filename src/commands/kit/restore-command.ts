import { printable } from '../../core/paths/raw-path.js';
import { shellWord } from '../../core/text/shell-word.js';

export interface RestoreCommand {
  readonly location: string;
  readonly outputDir: string;
  /** Undefined: everything. */
  readonly files: readonly string[] | undefined;
}

/** The command line that restores these files, and requests them from cold storage where needed. */
export function restoreCommand({ location, outputDir, files }: RestoreCommand): string {
  const word = (text: string): string => shellWord(printable(text));
  const what = files === undefined ? ['--all'] : files.map((file) => `--file ${word(file)}`);
  return ['archiver restore', word(location), word(outputDir), ...what].join(' ');
}
