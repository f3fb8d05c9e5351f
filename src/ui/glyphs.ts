// The few signs the screens use, each with an ASCII stand-in.

export interface Glyphs {
  readonly good: string;
  readonly attention: string;
  readonly failed: string;
  readonly ellipsis: string;
  readonly barFull: string;
  readonly barEmpty: string;
  readonly cursor: string;
  readonly rule: string;
  readonly side: string;
  /** Of a box: top left, top right, bottom left, bottom right. */
  readonly corners: readonly [string, string, string, string];
  /** From nothing done to all done. */
  readonly levels: readonly string[];
}

const UNICODE: Glyphs = {
  good: '✓',
  attention: '▲',
  failed: '✗',
  ellipsis: '…',
  barFull: '█',
  barEmpty: '░',
  cursor: '▸',
  rule: '─',
  side: '│',
  corners: ['┌', '┐', '└', '┘'],
  levels: ['▁', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
};

const ASCII: Glyphs = {
  good: 'ok:',
  attention: '!',
  failed: 'x',
  ellipsis: '...',
  barFull: '#',
  barEmpty: '.',
  cursor: '>',
  rule: '-',
  side: '|',
  corners: ['+', '+', '+', '+'],
  levels: ['0', '1', '2', '3', '4', '5', '6', '7', '8'],
};

/** The glyphs for a terminal that can, or cannot, show Unicode. */
export function glyphsFor(look: { readonly unicode: boolean }): Glyphs {
  return look.unicode ? UNICODE : ASCII;
}
