// Flags that select files of an upload. A file must match every flag that is given, and any one value of each.
import { flag, type Values } from '../../cli/flag.js';
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
};

/** The keys of `selectorFlags`. */
export const SELECTOR_KEYS = ['file', 'pattern', 'hash', 'gitCommit', 'dvcStage'] as const;

type SelectorValues = Values<typeof selectorFlags>;

export const hashRule = {
  kind: 'check',
  text: '--hash wants an MD5: 32 hex digits',
  ok: ({ hash }: Pick<SelectorValues, 'hash'>) => hash.every((md5) => /^[0-9a-f]{32}$/i.test(md5)),
} as const;

/** True when a selector is given. */
export const isSelecting = (values: SelectorValues): boolean => SELECTOR_KEYS.some((key) => values[key].length > 0);

/** Converts the flags to selectors; everything is selected when none is given. */
export const selectorsOf = (values: SelectorValues): Selectors =>
  isSelecting(values)
    ? {
        files: values.file,
        patterns: values.pattern,
        md5s: values.hash.map((md5) => md5.toLowerCase()),
        commits: values.gitCommit,
        stages: values.dvcStage,
      }
    : { all: true };
