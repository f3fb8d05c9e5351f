// The cells of a terminal as a picture: a rectangle for each background, a text for each run of one style, which is as wide as its
// columns whatever the font is.
import type { Cell } from '../support/terminal-session.js';

const CELL = { width: 8.4, height: 18, baseline: 13.5, font: 14 };
const MARGIN = 12;
const FOREGROUND = '#d8dee9';
const BACKGROUND = '#14181f';
/** The first sixteen colours of the palette, and the levels of its cube. */
const NAMED = (
  '#14181f #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #abb2bf ' +
  '#7f8694 #ef8a92 #b3d89c #f0d399 #85c5f8 #d7a1e7 #7fd0da #ffffff'
).split(' ');
const LEVELS = [0, 95, 135, 175, 215, 255];

const hex = (value: number): string => value.toString(16).padStart(2, '0');
const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

function colourOf(colour: Cell['colour'], otherwise: string): string {
  if (typeof colour !== 'number') return colour ?? otherwise;
  if (colour < 16) return NAMED[colour] ?? otherwise;
  if (colour >= 232) return `#${hex(8 + 10 * (colour - 232)).repeat(3)}`;
  const cube = colour - 16;
  return `#${[Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((at) => hex(LEVELS[at] ?? 0)).join('')}`;
}

interface Run {
  readonly column: number;
  columns: number;
  text: string;
  readonly style: string;
  readonly background: string;
}

/** Neighbours of one style. */
function runsOf(row: readonly Cell[]): readonly Run[] {
  const runs: Run[] = [];
  let column = 0;
  for (const { text, width, colour, background, isBold, isDim, isInverse } of row) {
    const [ink, paper] = [colourOf(colour, FOREGROUND), colourOf(background, BACKGROUND)];
    const style = [
      `fill="${isInverse ? paper : ink}"`,
      ...(isBold ? ['font-weight="bold"'] : []),
      ...(isDim ? ['opacity="0.6"'] : []),
    ].join(' ');
    const behind = isInverse ? ink : paper;
    const last = runs.at(-1);
    if (last?.style === style && last.background === behind) {
      last.text += text;
      last.columns += width;
    } else runs.push({ column, columns: width, text, style, background: behind });
    column += width;
  }
  return runs;
}

const round = (value: number): number => Math.round(value * 10) / 10;

function drawn({ column, columns, text, style, background }: Run, row: number): string {
  const [x, y] = [round(MARGIN + column * CELL.width), MARGIN + row * CELL.height];
  const width = round(columns * CELL.width);
  const behind =
    background === BACKGROUND
      ? ''
      : `<rect x="${x}" y="${y}" width="${width}" height="${CELL.height}" fill="${background}"/>`;
  const shown = text.trimEnd();
  if (shown === '') return behind;
  const fit = `textLength="${round((columns - (text.length - shown.length)) * CELL.width)}" lengthAdjust="spacingAndGlyphs"`;
  return `${behind}<text x="${x}" y="${y + CELL.baseline}" ${fit} ${style}>${escaped(shown)}</text>`;
}

/** `title`: what a screen reader says. */
export function svgOf(rows: readonly (readonly Cell[])[], title: string): string {
  const columns = Math.max(...rows.map((row) => row.reduce((sum, { width }) => sum + width, 0)));
  const width = round(2 * MARGIN + columns * CELL.width);
  const height = 2 * MARGIN + rows.length * CELL.height;
  const font = `font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${CELL.font}"`;
  const body = rows.flatMap((row, at) => runsOf(row).map((run) => drawn(run, at))).filter((text) => text !== '');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" ${font} xml:space="preserve">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>`,
    ...body,
    '</svg>',
    '',
  ].join('\n');
}
