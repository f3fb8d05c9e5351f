// Components with everything around them that they may ask for, at a size.
import { stripVTControlCharacters } from 'node:util';
import { renderToString } from 'ink';
import type { ReactElement, ReactNode } from 'react';
import { createKeySource, type KeySource } from '../../src/ui/keys.js';
import { Kit } from '../../src/ui/kit.js';
import { fixedSize } from '../../src/ui/size.js';

export interface InKitOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly unicode?: boolean;
  readonly color?: boolean;
  readonly keys?: KeySource;
}

/** The providers around what is tested. */
export function inKit(node: ReactNode, options: InKitOptions = {}): ReactElement {
  const { columns = 80, rows = 24, unicode = true, color = true, keys = createKeySource() } = options;
  return (
    <Kit keys={keys} size={fixedSize(columns, rows)} look={{ unicode, color }}>
      {node}
    </Kit>
  );
}

/** What is drawn, with its codes. */
export const paint = (node: ReactNode, options: InKitOptions = {}): string =>
  renderToString(inKit(node, options), { columns: options.columns ?? 80 });

/** What is drawn, as text without spaces at the ends of its lines. */
export const draw = (node: ReactNode, options: InKitOptions = {}): string =>
  stripVTControlCharacters(paint(node, options)).replaceAll(/ +$/gm, '');

/** Two real turns: effects and React's scheduler are done after that. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise<void>((done) => void setImmediate(() => done()));
}
