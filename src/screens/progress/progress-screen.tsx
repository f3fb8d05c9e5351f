// Runs the progress frame inline on a terminal. It never reads stdin: Ctrl+C stays a signal for the framework to handle.
import { PassThrough } from 'node:stream';
import { render } from 'ink';
import { displayText } from '../../stores/display-text.js';
import type { Outcome, Reporter } from '../../stores/reporter.js';
import type { TransferStore } from '../../stores/transfer-store.js';
import type { Look } from '../../ui/look.js';
import { eraseFrame, keepScrollback, type TerminalStream } from '../../ui/terminal.js';
import { writeAll } from './write-all.js';
import { interruptedLines } from './interrupted-lines.js';
import { progressLines } from './progress-lines.js';
import { ProgressView } from './progress-view.js';

export interface ProgressScreenOptions {
  readonly store: TransferStore;
  readonly stream: TerminalStream;
  readonly look: Look;
}

// Rates fall and times run on when no event comes.
const TICK_MS = 1000;

/** Starts drawing; the frame is gone when `stop` resolves, and the notes above it stay. */
export function startProgressScreen({ store, stream, look }: ProgressScreenOptions): Reporter {
  let height = 0;
  const element = () => {
    const { snapshot } = store.getState();
    // A terminal that does not tell its size (0x0 over some serial lines) gets the classic one.
    const lines = progressLines(snapshot, { columns: stream.columns || 80, rows: stream.rows || 24 }, look);
    height = lines.length;
    return <ProgressView lines={lines} notes={snapshot.notes.map((note) => displayText(note, look))} />;
  };
  const redraw = (): void => app.rerender(element());

  // Before `render`, so that it comes before Ink's own listener: Ink must not draw the old frame in the new width.
  stream.on('resize', redraw);
  const app = render(element(), {
    stdout: keepScrollback(stream),
    stdin: unusedInput(),
    exitOnCtrlC: false,
    patchConsole: false,
    isScreenReaderEnabled: false,
  });
  const unsubscribe = store.subscribe(redraw);
  const tick = setInterval(() => store.getState().refresh(), TICK_MS);
  tick.unref();

  return {
    async stop(outcome: Outcome) {
      clearInterval(tick);
      unsubscribe();
      stream.off('resize', redraw);
      // The last note may have come after the last frame.
      redraw();
      app.unmount();
      const { snapshot } = store.getState();
      const rest = outcome.status === 'interrupted' ? interruptedLines(snapshot, look) : [];
      await writeAll(stream, eraseFrame(height) + rest.map((line) => `${line}\n`).join(''));
    },
  };
}

function unusedInput(): NodeJS.ReadStream {
  const input: unknown = new PassThrough();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing here reads keys; Ink only looks for isTTY
  return input as NodeJS.ReadStream;
}
