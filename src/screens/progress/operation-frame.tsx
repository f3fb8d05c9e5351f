import { type ReactElement, useEffect } from 'react';
import { useStore } from 'zustand';
import type { TransferStore } from '../../stores/transfer-store.js';
import { ProgressFrame } from './progress-frame.js';

// Rates fall and times run on when no event comes.
const TICK_MS = 1000;

/** The progress of the operation of a store, as it goes on. */
export function OperationFrame({ store }: { readonly store: TransferStore }): ReactElement {
  const snapshot = useStore(store, (state) => state.snapshot);
  useEffect(() => {
    const tick = setInterval(() => store.getState().refresh(), TICK_MS);
    tick.unref();
    return () => clearInterval(tick);
  }, [store]);
  return <ProgressFrame snapshot={snapshot} />;
}
