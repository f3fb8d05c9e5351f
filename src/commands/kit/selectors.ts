// Flags that select files of an upload. A file must match every flag that is given, and any one value of each.
import { flag, type Values } from '../../cli/flag.js';
import { defined } from '../../core/platform/defined.js';
import { TOP } from '../../core/platform/paths/raw-path.js';
import { narrowingFlags } from './flags.js';
import type { PathListContext } from './path-list.js';
import type { Selectors } from '../../core/format/manifest/selection.js';

/** Help text about selectors in general. */
export const NARROWING =
  'Different selectors narrow each other down: what is meant fits all of them. Of one that is repeated any may fit.';

export const patternFlag = flag.repeat({
  placeholder: 'GLOB',
  describe: 'only paths that match, such as "**/*.csv"; names that begin with a dot count; repeatable',
});

export const selectorFlags = {
  file: flag.repeat({
    placeholder: 'PATH',
    names: 'entry',
    describe: 'only this path as it is listed (\\xNN is a byte); a folder includes everything below it; repeatable',
  }),
  pattern: patternFlag,
  hash: flag.repeat({ placeholder: 'MD5', describe: 'only files with this content; repeatable' }),
  gitCommit: flag.repeat({
    placeholder: 'SHA',
    describe: 'only files that were uploaded at this commit; seven digits or more of it; repeatable',
  }),
  dvcStage: flag.repeat({
    placeholder: 'NAME',
    describe: 'only files of this DVC stage, as DVC names it (train, sub/dvc.yaml:train, data.dvc); repeatable',
  }),
  ...narrowingFlags,
};

/** The keys of `selectorFlags`. */
export const SELECTOR_KEYS = [
  'file',
  'pattern',
  'hash',
  'gitCommit',
  'dvcStage',
  'regex',
  'largerThan',
  'smallerThan',
  'excludeLargerThan',
  'filesFrom',
  'filesFromRaw',
] as const;

export type SelectorValues = Values<typeof selectorFlags>;

export const hashRule = {
  kind: 'check',
  text: '--hash wants an MD5: 32 hex digits',
  ok: ({ hash }: Pick<SelectorValues, 'hash'>) => hash.every((md5) => /^[0-9a-f]{32}$/i.test(md5)),
} as const;

/** True when a selector is given. */
export const isSelecting = (values: SelectorValues): boolean =>
  SELECTOR_KEYS.some((key) => {
    const value = values[key];
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  });

/** Converts the flags to selectors; everything is selected when none is given. @throws usage for a list that cannot be used */
export async function selectorsOf(values: SelectorValues, context: PathListContext): Promise<Selectors> {
  if (!isSelecting(values)) return { all: true };
  const { excludeLargerThan, smallerThan: below } = values;
  const notLarger = excludeLargerThan === undefined ? undefined : excludeLargerThan + 1;
  const { pathList } = await import('./path-list.js');
  const listed = await pathList(values, context);
  return {
    files: values.file,
    patterns: values.pattern,
    md5s: values.hash.map((md5) => md5.toLowerCase()),
    commits: values.gitCommit,
    stages: values.dvcStage,
    regexes: values.regex,
    ...defined({
      paths: listed?.includes(TOP) === true ? undefined : listed,
      largerThanBytes: values.largerThan,
      smallerThanBytes: notLarger === undefined ? below : Math.min(notLarger, below ?? Infinity),
    }),
  };
}
