// Which datasets may be meant by a name that none of them has as its id. Pure.
import { editDistance } from '../../platform/text/suggest.js';
import { nameOfDataset } from './dataset-id.js';

export interface LikeNames {
  /** Datasets that people call so: the name is that of their folder. */
  readonly named: readonly string[];
  /** Others whose id or name differs from it by its case, by dots, hyphens and underscores, or by one letter. */
  readonly like: readonly string[];
}

/** Fewer letters have too many words near them. */
const LEAST_LETTERS = 4;

const plain = (text: string): string => text.toLowerCase().replaceAll(/[._-]/g, '');
const digitsIn = (text: string): string => text.replaceAll(/\D+/g, ' ').trim();

/** run-0412 and run-0413 are two runs and no typing error: the digits are the same in names that are alike. */
function isLike(a: string, b: string): boolean {
  if (plain(a) === plain(b)) return true;
  if (digitsIn(a) !== digitsIn(b)) return false;
  const [one, other] = [plain(a), plain(b)];
  return Math.min(one.length, other.length) >= LEAST_LETTERS && editDistance(one, other) <= 1;
}

/** Sorts out which of the known datasets a name may mean. */
export function likeNames(name: string, known: readonly string[]): LikeNames {
  const named = known.filter((id) => nameOfDataset(id) === name);
  const like = known.filter((id) => !named.includes(id) && (isLike(name, id) || isLike(name, nameOfDataset(id))));
  return { named, like };
}
