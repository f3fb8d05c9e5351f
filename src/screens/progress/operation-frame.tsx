import { type ReactElement, useEffect } from 'react';
import { useStore } from 'zustand';
import type { TransferStore } from '../../stores/transfer-store.js';
import { ProgressFrame } from './progress-frame.js';

// Rates fall and times go on even when there are no events.
const TICK_MS = 1000;

/** The live progress of an operation, from its store. */
export function OperationFrame({ store }: { readonly store: TransferStore }): ReactElement {
  const snapshot = useStore(store, (state) => state.snapshot);
  useEffect(() => {
    const tick = setInterval(() => store.getState().refresh(), TICK_MS);
    tick.unref();
    return () => clearInterval(tick);
  }, [store]);
  return <ProgressFrame snapshot={snapshot} />;
}
