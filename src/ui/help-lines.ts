// The `?` overlay: every key of a screen, in groups beside each other, as many as the width takes.
import type { Glyphs } from './glyphs.js';
import { keysText, type Binding } from './key-map.js';
import type { Line } from './toned-line.js';
import { cutEnd, padEnd, textWidth } from './text-width.js';

export interface HelpOverlayOptions {
  readonly title: string;
  readonly columns: number;
  /** Lines at most. */
  readonly height: number;
  readonly glyphs: Glyphs;
}

const GAP = 3;

/** The overlay as lines of `columns` cells, in a box. What does not fit in `height` is left out from the end. */
export function helpOverlay<A extends string>(
  bindings: readonly Binding<A>[],
  { title, columns, height, glyphs }: HelpOverlayOptions,
): Line[] {
  const [topLeft, topRight, bottomLeft, bottomRight] = glyphs.corners;
  const room = columns - 4;
  const listed = bindings.filter(({ help }) => help !== undefined);
  const blocks = [...new Set(listed.map(({ group }) => group))].map((group) =>
    block(
      group,
      listed.filter((binding) => binding.group === group),
    ),
  );
  const body = besides(blocks, room).slice(0, Math.max(0, height - 2));
  const heading = cutEnd(` ${title} `, room, glyphs.ellipsis);
  return [
    [{ text: topLeft + heading + glyphs.rule.repeat(Math.max(0, columns - 2 - textWidth(heading))) + topRight }],
    ...body.map((text): Line => {
      const inside = padEnd(cutEnd(text, room, glyphs.ellipsis), room);
      return [{ text: `${glyphs.side} ${inside} ${glyphs.side}` }];
    }),
    [{ text: bottomLeft + glyphs.rule.repeat(Math.max(0, columns - 2)) + bottomRight }],
  ];
}

function block<A extends string>(group: string, bindings: readonly Binding<A>[]): string[] {
  const keysWidth = Math.max(...bindings.map((binding) => textWidth(keysText(binding))));
  return [group, ...bindings.map((binding) => `${padEnd(keysText(binding), keysWidth)}  ${binding.help ?? ''}`)];
}

/** Blocks in as many columns as fit, each column with as many blocks as the others. */
function besides(blocks: readonly string[][], room: number): string[] {
  for (let perColumn = 1; ; perColumn++) {
    const columns: string[][] = [];
    for (let first = 0; first < blocks.length; first += perColumn)
      columns.push(
        blocks.slice(first, first + perColumn).flatMap((lines, index) => (index === 0 ? lines : ['', ...lines])),
      );
    const widths = columns.map((lines) => Math.max(...lines.map(textWidth)) + GAP);
    const isTooWide = widths.reduce((sum, width) => sum + width, -GAP) > room;
    if (isTooWide && perColumn < blocks.length) continue;
    const tallest = Math.max(...columns.map(({ length }) => length));
    return Array.from({ length: tallest }, (_, line) =>
      columns
        .map((lines, column) => padEnd(lines[line] ?? '', widths[column] ?? 0))
        .join('')
        .trimEnd(),
    );
  }
}
