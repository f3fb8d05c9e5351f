// Tones instead of colours, and glyphs with an ASCII replacement. A component never names a colour; without colours every state still has a
// glyph and a word beside it.
import chalk from 'chalk';
import { Text, type TextProps } from 'ink';
import { createContext, useContext, type ReactElement, type ReactNode } from 'react';
import type { Look } from './look.js';

export type Tone = 'plain' | 'strong' | 'dim' | 'accent' | 'good' | 'warn' | 'bad' | 'match' | 'tab' | 'cursor';
type Style = Pick<TextProps, 'color' | 'bold' | 'dimColor' | 'underline' | 'inverse'>;

export interface Glyphs {
  readonly pointer: string;
  readonly open: string;
  readonly closed: string;
  /** Bars: a whole step, half a step, and the unfilled part. */
  readonly full: string;
  readonly half: string;
  readonly empty: string;
  /** Sparklines, lowest level first. */
  readonly levels: readonly string[];
  readonly rule: string;
  readonly divider: string;
  readonly ellipsis: string;
  readonly good: string;
  readonly warn: string;
  readonly bad: string;
  /** For unknown states. */
  readonly none: string;
  readonly live: string;
  readonly spinner: readonly string[];
  /** Keys that have a sign; the others are shown by name. */
  readonly keys: Readonly<Record<string, string>>;
}

const UNICODE: Glyphs = {
  pointer: '▸',
  open: '▾',
  closed: '▸',
  full: '━',
  half: '╸',
  empty: '─',
  levels: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
  rule: '─',
  divider: '│',
  ellipsis: '…',
  good: '✓',
  warn: '▲',
  bad: '✗',
  none: '–',
  live: '●',
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  keys: { up: '↑', down: '↓', left: '←', right: '→' },
};

const ASCII: Glyphs = {
  pointer: '>',
  open: 'v',
  closed: '>',
  full: '#',
  half: '',
  empty: '.',
  levels: ['_', '.', ':', '-', '=', '+', '*', '#'],
  rule: '-',
  divider: '|',
  ellipsis: '~',
  good: '+',
  warn: '!',
  bad: 'x',
  none: '-',
  live: '*',
  spinner: ['|', '/', '-', '\\'],
  keys: {},
};

const COLOR: Readonly<Record<Tone, Style>> = {
  plain: {},
  strong: { bold: true },
  dim: { dimColor: true },
  accent: { color: 'cyan' },
  good: { color: 'green' },
  warn: { color: 'yellow' },
  bad: { color: 'red' },
  match: { color: 'cyan', bold: true, underline: true },
  tab: { color: 'cyan', bold: true },
  cursor: { inverse: true },
};

const NONE: Readonly<Record<Tone, Style>> = {
  plain: {},
  strong: {},
  dim: {},
  accent: {},
  good: {},
  warn: {},
  bad: {},
  match: {},
  tab: {},
  cursor: {},
};

/** Inverse is not a colour: tones without another sign keep it. */
const MONO: Readonly<Record<Tone, Style>> = { ...NONE, match: { inverse: true }, cursor: { inverse: true } };

export interface Theme {
  readonly styles: Readonly<Record<Tone, Style>>;
  readonly glyphs: Glyphs;
  /** True when names beyond ASCII may be shown. */
  readonly unicode: boolean;
}

/**
 * The theme for the capabilities of the stream that is drawn on. Ink paints with chalk, and chalk checks what *stdout* supports: progress
 * is drawn on stderr, and `--color` and NO_COLOR decide. So chalk always paints with the 16 colours, and a theme without colours uses none.
 */
export function makeTheme({ unicode, color }: Look): Theme {
  chalk.level = 1;
  return { styles: color ? COLOR : MONO, glyphs: unicode ? UNICODE : ASCII, unicode };
}

export const ThemeContext = createContext<Theme>({ styles: NONE, glyphs: ASCII, unicode: false });
export const useTheme = (): Theme => useContext(ThemeContext);

/** The theme inside a row that is inverse as a whole, where colours would become patches of background. */
export const flat = (theme: Theme): Theme => ({
  ...theme,
  styles: { ...NONE, match: theme.styles.match.underline === true ? { bold: true, underline: true } : {} },
});

export interface TintProps {
  readonly tone?: Tone | undefined;
  readonly wrap?: TextProps['wrap'];
  readonly children?: ReactNode;
}

/** Text in a tone; the only way to print text. */
export function Tint({ tone = 'plain', wrap = 'truncate', children }: TintProps): ReactElement {
  const style = useTheme().styles[tone];
  return (
    <Text {...style} wrap={wrap}>
      {children}
    </Text>
  );
}
