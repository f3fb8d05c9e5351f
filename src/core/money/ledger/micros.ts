const MICROS = 1e6;

/** USD of micro-dollars, rounded to whole ones; null: not known. */
export const usdOf = (micros: number | null): number | null => (micros === null ? null : Math.round(micros) / MICROS);
