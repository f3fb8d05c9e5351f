// Decides which columns of a table are shown and how wide each one is. Pure arithmetic.
import type { ReactNode } from 'react';
import { fitByPriority } from './fit-by-priority.js';
import type { Align, Cut } from './text.js';
import type { Tone } from './theme.js';

export interface Column {
  readonly title?: string;
  /** Fixed width, or a share of the remaining width (`weight`, never below `min`). */
  readonly width?: number;
  readonly weight?: number;
  readonly min?: number;
  /** Limit for a weighted column: a gauge of 100 columns says no more than one of 40. */
  readonly max?: number;
  readonly align?: Align;
  readonly cut?: Cut;
  readonly tone?: Tone;
  /** 0 always stays; on a narrow terminal the largest number is dropped first. */
  readonly priority?: number;
  /** A string is fitted by the table; an element must fill exactly `width` columns by itself. */
  readonly cell: (index: number, width: number) => ReactNode;
}

export interface LaidOut {
  readonly column: Column;
  readonly width: number;
}

export const GAP = 2;

/** Drops columns until the least widths fit, then distributes the rest by weight; the sum is at most `room`. */
export function layOutColumns(columns: readonly Column[], room: number): LaidOut[] {
  const least = (column: Column): number => column.width ?? column.min ?? 8;
  const kept = fitByPriority(columns, room, least, GAP);
  let spare = room - kept.reduce((sum, column) => sum + least(column) + GAP, -GAP);
  let weights = kept.reduce((sum, column) => sum + (column.weight ?? 0), 0);
  return kept.map((column) => {
    const weight = column.weight ?? 0;
    const share = weights > 0 ? Math.floor((Math.max(0, spare) * weight) / weights) : 0;
    const extra = Math.min(share, (column.max ?? Infinity) - least(column));
    spare -= extra;
    weights -= weight;
    return { column, width: least(column) + extra };
  });
}
