/** An amount of money: `$8.12`, `-$8.12`, `less than $0.01`, `less than $0.01 below zero`; `unknown` for null, which is never zero. */
export function formatUsd(amountUsd: number | null): string {
  if (amountUsd === null) return 'unknown';
  if (amountUsd < 0) return amountUsd > -0.01 ? `${SMALL} below zero` : `-${formatUsd(-amountUsd)}`;
  return amountUsd > 0 && amountUsd < 0.01 ? SMALL : `$${amountUsd.toFixed(2)}`;
}

const SMALL = 'less than $0.01';

/** The short form for columns: `<$0.01`, `>-$0.01`. */
export const shortUsd = (amountUsd: number | null): string =>
  amountUsd !== null && amountUsd < 0 && amountUsd > -0.01
    ? '>-$0.01'
    : formatUsd(amountUsd).replace('less than ', '<');

const MICRO_USD = 1e-6;

/** The form for tables of small amounts: below a cent with as many digits as tell them apart, `$0.0042`, `-$0.0042`, `<$0.000001`. */
export function fineUsd(amountUsd: number | null): string {
  if (amountUsd === null || amountUsd === 0 || Math.abs(amountUsd) >= 0.01) return shortUsd(amountUsd);
  if (amountUsd < 0) return amountUsd > -MICRO_USD ? '>-$0.000001' : `-${fineUsd(-amountUsd)}`;
  return amountUsd < MICRO_USD ? '<$0.000001' : formatUnitUsd(Number(amountUsd.toPrecision(2)));
}

/** A price of one unit, with all of its digits: `$0.00099`. */
export const formatUnitUsd = (usd: number | null): string =>
  usd === null
    ? 'unknown'
    : `$${Number(usd.toPrecision(6))
        .toFixed(10)
        .replace(/\.?0+$/, '')}`;
