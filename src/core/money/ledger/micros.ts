const MICROS = 1e6;

/** Converts micro-dollars to USD, rounded to whole micro-dollars; null when not known. */
export const usdOf = (micros: number | null): number | null => (micros === null ? null : Math.round(micros) / MICROS);
