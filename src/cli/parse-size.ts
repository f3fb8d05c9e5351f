// Parses sizes as people type them. `KB MB GB TB PB` are powers of 1000, `KiB MiB GiB TiB PiB` powers of 1024; the bare letters `k m g t p`
// mean 1024 as well, as they do for memory limits elsewhere. No unit means bytes.

const DECIMAL: Readonly<Record<string, number>> = { kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12, pb: 1e15 };
const LETTERS = 'kmgtp';
const SIZE = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i;

function unitBytes(unit: string): number | undefined {
  if (unit === '' || unit === 'b') return 1;
  const decimal = DECIMAL[unit];
  if (decimal !== undefined) return decimal;
  const power = LETTERS.indexOf(unit.charAt(0)) + 1;
  if (power === 0 || !(unit.length === 1 || unit.slice(1) === 'ib')) return undefined;
  return 1024 ** power;
}

/** Returns the bytes in `16MiB`, `1.5GB`, `512m` or `1000`; undefined when it is not a size or too large to count exactly. */
export function parseSize(text: string): number | undefined {
  const match = SIZE.exec(text.trim());
  const unit = match ? unitBytes((match[2] ?? '').toLowerCase()) : undefined;
  if (!match || unit === undefined) return undefined;
  const bytes = Math.round(Number(match[1]) * unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
