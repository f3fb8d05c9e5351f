// Refuses arguments that were typed in the wrong order, if that is evident: a store URL is in the place of something else, and something
// else in that of the store. All other errors are left to the code that parses the texts.
import { usageError } from '../core/platform/failures/errors.js';
import { shellWord } from '../core/platform/text/shell-word.js';
import { argUsage, type Args } from './arg.js';
import type { Command } from './command.js';

const STORE_URL = /^(?:s3|file):\/\//;

const isUrl = (text: string): boolean => text.includes('://');

/** Refuses swapped arguments. @throws usage with the order of the arguments, and the call in this order */
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

/** `looks` is the pattern of texts in the place where the URL is; undefined if a URL never belongs there. */
const isMisplaced = (url: string, given: string, looks: RegExp | undefined): boolean =>
  looks === undefined || (!looks.test(url) && looks.test(given));

const isTooMany = (declared: Args, { length }: readonly string[]): boolean =>
  !declared.some(({ many }) => many) && length > declared.length;
