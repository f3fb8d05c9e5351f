// Formats the amounts of a budget: dollars, and GB of 10^9 bytes, as limits are typed.

/** Formats USD as `$12.00`; amounts below a cent get two significant digits. */
function usdText(usd: number): string {
  if (Math.abs(usd) >= 0.01 || usd === 0) return `$${usd.toFixed(2)}`;
  // As a number below a millionth it would be `$4.2e-7`.
  return `$${Number(usd.toPrecision(2)).toFixed(12).replace(/0+$/, '')}`;
}

function gigabytesText(bytes: number): string {
  if (Math.abs(bytes) < 1e6) return `${Math.round(bytes)} B`;
  return Math.abs(bytes) < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** Formats an amount in USD, or in bytes. */
export const amountText = (kind: 'cost' | 'volume', amount: number): string =>
  kind === 'cost' ? usdText(amount) : gigabytesText(amount);
