import type { Glyphs } from './glyphs.js';

const clamp = (fraction: number): number => (fraction > 0 ? Math.min(1, fraction) : 0);

/** A bar of exactly `width` cells; it is full only when the fraction is 1. */
export function bar(fraction: number, width: number, glyphs: Glyphs): string {
  const cells = Math.max(0, width);
  const full = Math.floor(clamp(fraction) * cells);
  return glyphs.barFull.repeat(full) + glyphs.barEmpty.repeat(cells - full);
}

/** One character that says how much of something is done. */
export function level(fraction: number, glyphs: Glyphs): string {
  const last = glyphs.levels.length - 1;
  return glyphs.levels[Math.floor(clamp(fraction) * last)] ?? '';
}
