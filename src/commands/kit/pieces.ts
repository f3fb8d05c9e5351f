// Long results in pieces: a million lines are neither held as one string nor written one by one.

import { documentLine } from '../../core/platform/json/document.js';

/** Worth a write. */
const PIECE = 64 * 1024;

type Texts = Iterable<string> | AsyncIterable<string>;

/** The texts one after another, with `separator` between them, in pieces of about 64 KiB. */
export async function* inPieces(texts: Texts, separator = ''): AsyncGenerator<string> {
  let piece = '';
  let between = '';
  for await (const text of texts) {
    piece += between + text;
    between = separator;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/**
 * A JSON document in parts: the keys of `head`, then lists whose items are JSON already, then the keys of
 * `tail`, which is asked for when the lists are over.
 */
export async function* documentParts(
  head: object,
  lists: Readonly<Record<string, () => Texts>>,
  tail: () => object | Promise<object> = () => ({}),
): AsyncGenerator<string> {
  yield documentLine(head).slice(0, -'}\n'.length);
  for (const [name, items] of Object.entries(lists)) {
    yield `,${JSON.stringify(name)}:[`;
    yield* inPieces(items(), ',');
    yield ']';
  }
  const rest = JSON.stringify(await tail()).slice(1);
  yield rest === '}' ? rest : `,${rest}`;
}
