import { printable } from '../../core/platform/paths/raw-path.js';
import { shellWord } from '../../core/platform/text/shell-word.js';
import { type VersionName, versionNumber } from '../../core/dataset/records/version-name.js';

export interface RestoreCommand {
  readonly location: string;
  readonly outputDir: string;
  /** Paths to restore; undefined for everything. */
  readonly files: readonly string[] | undefined;
  readonly patterns?: readonly string[];
  /** A version of a dataset; `location` is then its base. */
  readonly version?: VersionName & { readonly datasetId: string };
}

/** Returns the command line that restores these files, and requests them from cold storage where needed. */
export function restoreCommand({ location, outputDir, files, patterns = [], version }: RestoreCommand): string {
  const word = (text: string): string => shellWord(printable(text));
  const what = files === undefined ? ['--all'] : files.map((file) => `--file ${word(file)}`);
  what.push(...patterns.map((pattern) => `--pattern ${word(pattern)}`));
  if (version !== undefined) what.push(`--dataset-id ${word(version.datasetId)} --version ${versionNumber(version)}`);
  return ['archiver restore', word(location), word(outputDir), ...what].join(' ');
}
