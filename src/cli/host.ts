// The process as the framework sees it. `src/cli.ts` gives the real one, tests their own.
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
  /** How many files may be open at once. */
  readonly openFiles?: number;
  readonly now: () => Date;
  /** Aborts at the first interruption. */
  readonly signal: AbortSignal;
  /** Ctrl+C calls this instead of aborting `signal`, until the function that it returns is called. */
  readonly captureInterrupt?: (onCtrlC: () => void) => () => void;
  /** When the process is ended in the middle of something, this is told, until the function that it returns is called. */
  readonly onForcedExit?: (words: () => string | undefined) => () => void;
  /** Makes UTC the time zone, until the function that it returns is called. */
  readonly useUtc?: () => () => void;
  /** Told once the flags are known, before the command runs. */
  readonly onSettings?: (settings: { readonly trace: boolean; readonly color: 'auto' | 'always' | 'never' }) => void;
  /** Told of what operations do, beside those whom the call itself asks for. */
  readonly followers?: readonly EventConsumer[];
  /** A call within another one, which has told already what concerns the whole process. */
  readonly isInner?: boolean;
}
