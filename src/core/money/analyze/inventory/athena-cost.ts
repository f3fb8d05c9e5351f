// What a query of Athena costs: https://aws.amazon.com/athena/pricing/. Pure.

/** In most regions. */
export const USD_PER_TB = 5;
const TB = 1e12;
/** Billed at least, in bytes. */
const LEAST_BYTES = 10_000_000;

/** US dollars for what one query reads. */
export const athenaUsd = (scannedBytes: number): number => (Math.max(scannedBytes, LEAST_BYTES) / TB) * USD_PER_TB;
