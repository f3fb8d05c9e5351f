// Arguments that were typed in the wrong order, where that is evident: a store URL stands where something else belongs, and
// something else stands where the store belongs. Whatever else is wrong with a call is left to those who read its texts.
import { usageError } from '../core/platform/failures/errors.js';
import { shellWord } from '../core/platform/text/shell-word.js';
import { argUsage, type Args } from './arg.js';
import type { Command } from './command.js';

const STORE_URL = /^(?:s3|file):\/\//;

const isUrl = (text: string): boolean => text.includes('://');

/** @throws usage with the order of the arguments, and the call in this order */
export function refuseSwapped(
  { path, args: declared = [] }: Pick<Command, 'path' | 'args'>,
  texts: readonly string[],
): void {
  const looksAt = (index: number): RegExp | undefined => declared[Math.min(index, declared.length - 1)]?.looksLike;
  const at = declared.findIndex(({ store }) => store !== undefined);
  const place = declared[at - 1]?.many === true ? texts.length - 1 : at;
  const [store, given] = [declared[at], texts[place]];
  if (store === undefined || given === undefined || isUrl(given) || isTooMany(declared, texts)) return;
  const found = texts.findIndex((text, index) => STORE_URL.test(text) && isMisplaced(text, given, looksAt(index)));
  const url = texts[found];
  if (url === undefined) return;
  const call = `archiver ${path}`;
  const first = at === 0 ? store : declared[0];
  const ordered = texts.toSpliced(found, 1).toSpliced(place, 0, url);
  throw usageError(
    `"${url}" is a store, and ${first?.name ?? ''} comes first: ${call} ${declared.map(argUsage).join(' ')}`,
    `${call} ${ordered.map(shellWord).join(' ')}`,
  );
}

/** `looks`: what texts look like that belong where the URL stands; undefined where no URL does. */
const isMisplaced = (url: string, given: string, looks: RegExp | undefined): boolean =>
  looks === undefined || (!looks.test(url) && looks.test(given));

const isTooMany = (declared: Args, { length }: readonly string[]): boolean =>
  !declared.some(({ many }) => many) && length > declared.length;
