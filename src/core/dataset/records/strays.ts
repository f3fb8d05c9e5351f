// Reports objects beside the datasets of a store: they are named, and everything goes on without them.
import { printable } from '../../platform/paths/raw-path.js';

const SHOWN = 10;

/** A sentence about the strays, or none; `place` is that of a store below the one that was asked for. */
export function strayTexts(strays: readonly string[], place = ''): readonly string[] {
  if (strays.length === 0) return [];
  const above = place === '' ? '' : `${place}/`;
  const shown = strays.slice(0, SHOWN).map((name) => printable(`${above}datasets/${name}`));
  const more = strays.length > SHOWN ? ` and ${strays.length - SHOWN} more` : '';
  return [`left out, because no version record is there: ${shown.join(', ')}${more}`];
}
