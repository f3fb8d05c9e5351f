// Yields long results in pieces: a million lines are neither held as one string nor written one by one.

import { documentLine, type Json } from '../../core/platform/json/document.js';
import type { DocumentParts } from '../../json/documents.js';

/** Length (in characters) from which a piece is worth a write. */
const PIECE = 64 * 1024;

type Texts<T = unknown> = Iterable<Json<T>> | AsyncIterable<Json<T>>;

/** Joins the texts with `separator`, in pieces of about 64 KiB. */
export async function* inPieces(
  texts: Iterable<string> | AsyncIterable<string>,
  separator = '',
): AsyncGenerator<string> {
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
 * A JSON document in parts: the keys of `head`, then lists whose items are JSON already, then the keys of `tail`, which is called after the
 * lists.
 */
export const documentParts = <H extends object, L extends Lists, T extends object = object>(
  head: H,
  lists: L,
  tail?: () => T | Promise<T>,
): DocumentParts<H & Listed<L> & T> => partsOf(head, lists, tail) as AsyncIterable<string> as DocumentParts<never>;

type Lists = Readonly<Record<string, () => Texts>>;
type Listed<L extends Lists> = {
  readonly [K in keyof L]: L[K] extends () => Texts<infer Item> ? readonly Item[] : never;
};

async function* partsOf(
  head: object,
  lists: Lists,
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
