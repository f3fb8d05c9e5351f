// Converts a row of an inventory file into the form that is added up.
import { integrityError } from '../../../platform/failures/errors.js';
import { printable } from '../../../platform/paths/raw-path.js';
import type { TalliedVersion } from '../stored-tally.js';

/** Class of objects in an inventory without a class column; it has no price. */
export const UNKNOWN_CLASS = 'UNKNOWN';

export type Cell = string | number | bigint | boolean | Date | null | undefined;

/** Cells by meaning; undefined where the inventory has no such column. */
export interface InventoryCells {
  readonly isLatest: Cell;
  readonly isDeleteMarker: Cell;
  readonly size: Cell;
  /** As ISO text or in ms since 1970. */
  readonly lastModified: Cell;
  readonly storageClass: Cell;
}

/** Converts a row. @throws integrity for a cell that is not what its column says; the caller adds which row it was */
export function versionOf(cells: InventoryCells): TalliedVersion {
  const isDeleteMarker = flagOf(cells.isDeleteMarker ?? false, 'IsDeleteMarker');
  const { storageClass, lastModified } = cells;
  return {
    isDeleteMarker,
    isCurrent: flagOf(cells.isLatest ?? true, 'IsLatest'),
    // Delete markers have no size.
    sizeBytes: isDeleteMarker ? 0 : sizeOf(cells.size),
    storageClass: storageClass === undefined ? UNKNOWN_CLASS : textOf(storageClass) || 'STANDARD',
    ...(isEmpty(lastModified) ? {} : { lastModified: dateOf(lastModified) }),
  };
}

/** Decodes a key from CSV, where `+` is a space and `%2B` a plus. @throws integrity for a key that is not URL-encoded */
export function decodedKey(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw notA(text, 'a URL-encoded key');
  }
}

const isEmpty = (cell: Cell): cell is null | undefined | '' => cell === null || cell === undefined || cell === '';

const textOf = (cell: Cell): string => (isEmpty(cell) ? '' : String(cell));

const notA = (cell: Cell, what: string): Error =>
  integrityError(`'${printable(textOf(cell).slice(0, 100))}' is not ${what}`);

function flagOf(cell: Cell, column: string): boolean {
  const text = textOf(cell).toLowerCase();
  if (text !== 'true' && text !== 'false') throw notA(cell, `true or false (${column})`);
  return text === 'true';
}

function sizeOf(cell: Cell): number {
  const size = isEmpty(cell) ? Number.NaN : Number(cell);
  if (!Number.isSafeInteger(size) || size < 0) throw notA(cell, 'a size');
  return size;
}

function dateOf(cell: Cell): Date {
  const isCount = typeof cell === 'number' || typeof cell === 'bigint';
  const date = cell instanceof Date ? cell : new Date(isCount ? Number(cell) : String(cell));
  if (Number.isNaN(date.getTime())) throw notA(cell, 'a time');
  return date;
}
