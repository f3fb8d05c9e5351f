// The `archiver upload` line for some of what was looked at, as it can be pasted into a shell.
import {
  displayPath,
  pathBelow,
  printable,
  type RawPath,
  textFromRaw,
  TOP,
} from '../../../core/platform/paths/raw-path.js';
import { shellWord } from '../../../core/platform/text/shell-word.js';
import { dashed } from '../../../cli/rule.js';

/** Stands for the store where none was named. */
export const NO_STORE = 'STORE';

export interface UploadLineOptions {
  /** The folder that was looked at, absolute. */
  readonly root: RawPath;
  /** Flags that select files, as words. */
  readonly filters: readonly string[];
  /** True if something in the folder is not archived: the rules for that hold only for an upload of the whole folder. */
  readonly hasLeftOut: boolean;
  /** As `upload` takes it. */
  readonly store: string;
  /** Undefined where the store has no classes. */
  readonly storageClass: string | undefined;
}

/**
 * Returns the line that uploads these paths, `TOP` being all; undefined if the name of the folder cannot be written in a line. One path is
 * the source of its upload; several, and whatever stands below rules of folders above it, are a list of paths in the folder.
 */
export function uploadLine(paths: readonly RawPath[], options: UploadLineOptions): string | undefined {
  const { root, filters, hasLeftOut, store, storageClass } = options;
  const folder = asWord(root);
  if (folder === undefined) return undefined;
  const more = [store, ...(storageClass === undefined ? [] : ['--storage-class', storageClass]), ...filters];
  const line = (source: string, ...rest: readonly string[]): string =>
    ['archiver', 'upload', source, ...more, ...rest].map(shellWord).join(' ');
  if (paths.includes(TOP)) return line(folder);
  const [only, ...others] = paths;
  if (only === undefined) return undefined;
  const alone = asWord(pathBelow(root === '/' ? TOP : root, only));
  if (others.length === 0 && !hasLeftOut && filters.length === 0 && alone !== undefined) return line(alone);
  const listed = paths.map((path) => shellWord(displayPath(path)));
  return `printf '%s\\n' ${listed.join(' ')} | ${line(folder, '--files-from', '-')}`;
}

/** The path as text; undefined if it is not UTF-8, or a terminal does not show it as it is. */
function asWord(path: RawPath): string | undefined {
  const text = textFromRaw(path);
  return text === undefined || printable(text) !== text ? undefined : text;
}

/** Returns the flags that were given as words; `isTyped` tells whether a switch was turned off on the command line. */
export function flagWords(
  values: Readonly<Record<string, unknown>>,
  isTyped: (key: string) => boolean,
): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === true) return [dashed(key)];
    if (value === false) return isTyped(key) ? [dashed(`no-${key}`)] : [];
    const texts = Array.isArray(value) ? (value as readonly unknown[]) : value === undefined ? [] : [value];
    return texts.map((text) => `${dashed(key)}=${String(text)}`);
  });
}
