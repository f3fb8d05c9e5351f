// The process as the framework sees it. `src/cli.ts` provides the real one, tests their own.
import type { Readable, Writable } from 'node:stream';
import type { EventConsumer } from '../core/events/fan-out.js';
import type { WorkingFolder } from './working-folder.js';

export interface Host extends WorkingFolder {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly userHome: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** Number of files that may be open at once. */
  readonly openFiles?: number;
  readonly now: () => Date;
  /** Aborts at the first interruption. */
  readonly signal: AbortSignal;
  /** Calls the function at Ctrl+C instead of aborting `signal`, until the returned function is called. */
  readonly captureInterrupt?: (onCtrlC: () => void) => () => void;
  /** Sets the text to print if the process is ended in the middle of something, until the returned function is called. */
  readonly onForcedExit?: (words: () => string | undefined) => () => void;
  /** Makes UTC the time zone, until the returned function is called. */
  readonly useUtc?: () => () => void;
  /** Called once the flags are known, before the command runs. */
  readonly onSettings?: (settings: { readonly trace: boolean; readonly color: 'auto' | 'always' | 'never' }) => void;
  /** Listeners to the events of operations, in addition to those that the call itself asks for. */
  readonly followers?: readonly EventConsumer[];
  /** True for a call within another one, which has already said everything about the whole process. */
  readonly isInner?: boolean;
}
