import type { ReactElement } from 'react';
import { Bar } from './bar.js';
import { Tint, type Tone } from './theme.js';

/** By default yellow from this share on; red from 100 % on. */
const WARN_AT = 0.8;

const NUMBER = 5;

export interface GaugeProps {
  readonly share: number;
  readonly width: number;
  /** The share from which on it is yellow. */
  readonly warnAt?: number;
  /** Always this tone, for a gauge that is meant to become full. */
  readonly tone?: Tone;
}

/** A bar and, right-aligned beside it, the number. Exactly `width` columns. */
export function Gauge({ share, width, warnAt = WARN_AT, ...own }: GaugeProps): ReactElement {
  const tone: Tone = own.tone ?? (share >= 1 ? 'bad' : share >= warnAt ? 'warn' : 'accent');
  const text = share < 10 ? `${Math.floor(share * 100)}%` : `${Math.min(999, Math.floor(share))}x`;
  const number = text.padStart(NUMBER);
  if (width < NUMBER + 4) return <Tint tone={tone}>{number.padStart(width)}</Tint>;
  return (
    <Tint>
      <Bar share={share} width={width - NUMBER} tone={tone} hasTrack />
      <Tint tone={tone === 'accent' ? 'plain' : tone}>{number}</Tint>
    </Tint>
  );
}
