// Capabilities of a terminal, decided once and passed down as data.

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Look {
  /** True when glyphs and names beyond ASCII may be written. */
  readonly unicode: boolean;
  /** True when colour codes may be written. */
  readonly color: boolean;
}

/** The look of a stream, by its colour support, the locale and TERM. */
export function lookOf(color: boolean, env: Environment): Look {
  return { unicode: isUnicode(env), color };
}

function isUnicode(env: Environment): boolean {
  if (env['TERM'] === 'linux' || env['TERM'] === 'dumb') return false;
  // POSIX: the first of these that is set and not empty decides; none of them means the C locale.
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale);
}
