// Reports objects beside the datasets of a store: they are named, and everything goes on without them.
import { isWellFormedKey, keysText, oddTexts } from '../../store/ids/key-form.js';
import { isDatasetId } from './dataset-id.js';

/** Whether a name below `datasets/` can be neither a dataset nor an object in one. */
export const isOddStray = (name: string): boolean =>
  !isWellFormedKey(name.replace(/\/$/, '')) || !isDatasetId(/^[^/]*/.exec(name)?.[0] ?? '');

/** Sentences about the strays, or none; `place` is that of a store below the one that was asked for. */
export function strayTexts(strays: readonly string[], place = ''): readonly string[] {
  const above = place === '' ? '' : `${place}/`;
  const [odd, plain]: [string[], string[]] = [[], []];
  for (const name of strays) (isOddStray(name) ? odd : plain).push(`${above}datasets/${name}`);
  const texts = plain.length === 0 ? [] : [`left out, because no version record is there: ${keysText(plain)}`];
  return [...texts, ...oddTexts(odd)];
}
