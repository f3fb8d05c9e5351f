// One row of an inventory, as its files have it, into what is added up.
import { integrityError } from '../../../platform/failures/errors.js';
import { printable } from '../../../platform/paths/raw-path.js';
import type { TalliedVersion } from '../stored-tally.js';

/** Where an inventory does not say the class: it has no price. */
export const UNKNOWN_CLASS = 'UNKNOWN';

export type Cell = string | number | bigint | boolean | Date | null | undefined;

/** Cells by what they mean; undefined where the inventory has no such column. */
export interface InventoryCells {
  readonly isLatest: Cell;
  readonly isDeleteMarker: Cell;
  readonly size: Cell;
  /** A time as ISO text or in ms since 1970. */
  readonly lastModified: Cell;
  readonly storageClass: Cell;
}

/** @throws integrity for a cell that is not what its column says; the caller says which row it was */
export function versionOf(cells: InventoryCells): TalliedVersion {
  const isDeleteMarker = flagOf(cells.isDeleteMarker ?? false, 'IsDeleteMarker');
  const { storageClass, lastModified } = cells;
  return {
    isDeleteMarker,
    isCurrent: flagOf(cells.isLatest ?? true, 'IsLatest'),
    // Delete markers have none.
    sizeBytes: isDeleteMarker ? 0 : sizeOf(cells.size),
    storageClass: storageClass === undefined ? UNKNOWN_CLASS : textOf(storageClass) || 'STANDARD',
    ...(isEmpty(lastModified) ? {} : { lastModified: dateOf(lastModified) }),
  };
}

/** @throws integrity for a key that is not URL-encoded, as those of CSV are; `+` is a space and `%2B` a plus */
export function decodedKey(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw not(text, 'a URL-encoded key');
  }
}

const isEmpty = (cell: Cell): cell is null | undefined | '' => cell === null || cell === undefined || cell === '';

const textOf = (cell: Cell): string => (isEmpty(cell) ? '' : String(cell));

const not = (cell: Cell, what: string): Error =>
  integrityError(`'${printable(textOf(cell).slice(0, 100))}' is not ${what}`);

function flagOf(cell: Cell, column: string): boolean {
  const text = textOf(cell).toLowerCase();
  if (text !== 'true' && text !== 'false') throw not(cell, `true or false (${column})`);
  return text === 'true';
}

function sizeOf(cell: Cell): number {
  const size = isEmpty(cell) ? Number.NaN : Number(cell);
  if (!Number.isSafeInteger(size) || size < 0) throw not(cell, 'a size');
  return size;
}

function dateOf(cell: Cell): Date {
  const isCount = typeof cell === 'number' || typeof cell === 'bigint';
  const date = cell instanceof Date ? cell : new Date(isCount ? Number(cell) : String(cell));
  if (Number.isNaN(date.getTime())) throw not(cell, 'a time');
  return date;
}
