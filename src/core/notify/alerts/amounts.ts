// Amounts of a budget as people read them: dollars, and GB of 10^9 bytes, as limits are typed.

/** `$12.00` for less than a cent with as many digits as it takes. */
function usdText(usd: number): string {
  return Math.abs(usd) >= 0.01 || usd === 0 ? `$${usd.toFixed(2)}` : `$${Number(usd.toPrecision(2))}`;
}

function gigabytesText(bytes: number): string {
  if (Math.abs(bytes) < 1e6) return `${Math.round(bytes)} B`;
  return Math.abs(bytes) < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** An amount in USD, or in bytes. */
export const amountText = (kind: 'cost' | 'volume', amount: number): string =>
  kind === 'cost' ? usdText(amount) : gigabytesText(amount);
