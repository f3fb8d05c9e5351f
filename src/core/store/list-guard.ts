// Ends a listing that would never end: a server (or a cache in front of it) that returns the same page or the same marker
// again would be asked for ever. Pages must come in byte order and every marker must be new, or the listing fails with one
// sentence; it is not retried, because the server would answer the same.
import { compareBytes } from './file/file-list.js';
import { StoreError } from './store-error.js';

/** Most empty pages in a row. A server may return some where much was deleted. */
const MAX_EMPTY_PAGES = 1000;

export interface GuardOptions {
  /** Operation and place, e.g. `ListObjects s3://bucket/prefix`. */
  readonly name: string;
  /** The listing begins after this key. */
  readonly after?: string | undefined;
  /** True if lines of one key may continue on the next page, as versions do. */
  readonly isKeySplit?: boolean;
}

/** Fails a listing. @throws store for a listing that goes in circles */
export function refuseCircle(name: string, why: string): never {
  throw new StoreError('store', `${name}: the listing would never end: ${why}`, {
    reason: 'EndlessListing',
    hint: 'the server is at fault; try another one, or another route to it, with --endpoint-url',
  });
}

/** Watches one listing. */
export class ListGuard {
  readonly #options: GuardOptions;
  readonly #marks = new Set<string>();
  #last: string | undefined;
  #pages = 0;
  #emptyPages = 0;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#last = options.after;
  }

  /** Checks the keys and the folded folders of a page, each in order. @throws store when they do not follow the page before */
  page(keys: readonly string[], folded: readonly string[] = []): void {
    const last = this.#last;
    const [greatest] = [keys.at(-1), folded.at(-1)]
      .filter((line) => line !== undefined)
      .sort((a, b) => compareBytes(b, a));
    this.#pages += 1;
    this.#emptyPages = greatest === undefined ? this.#emptyPages + 1 : 0;
    if (this.#emptyPages > MAX_EMPTY_PAGES) this.#refuse(`${MAX_EMPTY_PAGES} pages without a key`);
    if (last !== undefined) this.#requireOrder(last, keys[0], folded[0], greatest);
    if (greatest !== undefined && (last === undefined || compareBytes(greatest, last) > 0)) this.#last = greatest;
  }

  #requireOrder(last: string, key: string | undefined, folder: string | undefined, greatest = last): void {
    const isKeyBehind = key !== undefined && compareBytes(key, last) < (this.#options.isKeySplit === true ? 0 : 1);
    // A folded folder that the listing starts inside of sorts before its marker.
    const isFolderBehind = folder !== undefined && compareBytes(folder, last) < 0 && !last.startsWith(folder);
    const isStill = this.#pages > 1 && folder !== undefined && compareBytes(greatest, last) <= 0;
    if (isKeyBehind || isFolderBehind || isStill) this.#refuse('a page does not come after the one before it');
  }

  /** Checks the marker of the next page. @throws store when it occurred before */
  mark(mark: string): void {
    if (this.#marks.has(mark)) this.#refuse('the server continues from a place where it was before');
    this.#marks.add(mark);
  }

  #refuse(why: string): never {
    refuseCircle(this.#options.name, why);
  }
}
