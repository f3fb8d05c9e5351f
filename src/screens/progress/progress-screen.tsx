// The progress of an operation, drawn inline on a terminal. It never reads stdin: Ctrl+C stays a signal for the framework
// to handle.
import { Static } from 'ink';
import type { ReactElement } from 'react';
import { useStore } from 'zustand';
import { displayText } from '../../stores/display-text.js';
import type { Reporter } from '../../stores/reporter.js';
import type { TransferStore } from '../../stores/transfer-store.js';
import { openInline } from '../../ui/inline-screen.js';
import type { Look } from '../../ui/look.js';
import type { TerminalStream } from '../../ui/terminal.js';
import { Tint, useTheme } from '../../ui/theme.js';
import { interruptedLines } from './interrupted-lines.js';
import { OperationFrame } from './operation-frame.js';

export interface ProgressScreenOptions {
  readonly store: TransferStore;
  readonly stream: TerminalStream;
  readonly look: Look;
  /** Number of notes that were already shown by an earlier screen. */
  readonly notesTold?: number;
}

interface Props {
  readonly store: TransferStore;
  readonly notesTold: number;
}

/** Starts drawing. When `stop` resolves the frame is gone, and the notes above it stay. */
export function startProgressScreen({ store, stream, look, notesTold = 0 }: ProgressScreenOptions): Reporter {
  const screen = openInline(<ProgressScreen store={store} notesTold={notesTold} />, { stdout: stream, look });
  return {
    async stop() {
      const { snapshot } = store.getState();
      const rest = snapshot.outcome?.status === 'interrupted' ? interruptedLines(snapshot, look) : [];
      await screen.leave(rest.map((line) => `${line}\n`).join(''));
    },
  };
}

/** Notes, which stay, above the frame, which is removed. */
export function ProgressScreen({ store, notesTold }: Props): ReactElement {
  return (
    <>
      <Notes store={store} notesTold={notesTold} />
      <OperationFrame store={store} />
    </>
  );
}

function Notes({ store, notesTold }: Props): ReactElement {
  const notes = useStore(store, (state) => state.snapshot.notes);
  const { unicode } = useTheme();
  return (
    <Static items={notes.slice(notesTold)}>
      {(note, index) => (
        <Tint key={index} wrap="wrap">
          {displayText(note, { unicode })}
        </Tint>
      )}
    </Static>
  );
}
