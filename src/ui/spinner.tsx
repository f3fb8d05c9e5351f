import { useEffect, useState, type ReactElement } from 'react';
import { Tint, useTheme } from './theme.js';

/** Shows that work is going on when no progress is known. The timer only runs while it is mounted. */
export function Spinner({ label, intervalMs = 100 }: { label: string; intervalMs?: number }): ReactElement {
  const { spinner } = useTheme().glyphs;
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((count) => count + 1), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return (
    <Tint>
      <Tint tone="accent">{spinner[tick % spinner.length]}</Tint>
      {` ${label}`}
    </Tint>
  );
}
