// The cost of an Athena query: https://aws.amazon.com/athena/pricing/. Pure.

/** Price in most regions. */
export const USD_PER_TB = 5;
const TB = 1e12;
/** Least number of bytes billed per query. */
const LEAST_BYTES = 10_000_000;

/** Returns the cost of a query in US dollars. */
export const athenaUsd = (scannedBytes: number): number => (Math.max(scannedBytes, LEAST_BYTES) / TB) * USD_PER_TB;
