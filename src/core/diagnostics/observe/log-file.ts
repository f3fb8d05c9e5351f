// A log of JSON lines that is appended to. Each line is one write, so that several processes may share a file. When the file was renamed or
// removed (logrotate), the next line begins a new one; a truncated log continues at its start. No problem with the file fails the run.
import { closeSync, constants, fstatSync, openSync, statSync, writeSync } from 'node:fs';
import { ArchiverError, errorText, undefinedOn } from '../../platform/failures/errors.js';
import { withoutSecrets } from '../../platform/failures/hide-secrets.js';
import { printable } from '../../platform/paths/raw-path.js';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogFields = Readonly<Record<string, unknown>>;

export interface LogLine extends LogFields {
  readonly level: LogLevel;
  /** Kind of the line: `phase`, `retry`, `warning`. */
  readonly event: string;
  readonly message?: string;
}

export interface LogFile {
  readonly write: (line: LogLine) => void;
  readonly close: () => void;
}

interface LogOptions {
  /** Absolute path. */
  readonly path: string;
  /** Less important lines are left out. */
  readonly level: LogLevel;
  /** Fields that are added to every line. */
  readonly common: LogFields;
  readonly now: () => Date;
  /** Called once when a line could not be written. */
  readonly onTrouble: (text: string) => void;
}

// Without O_NONBLOCK, opening a pipe that nobody reads would block the run.
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;
const OWNER_ONLY = 0o600;

/** Opens the file, creating it with mode 0600 if necessary. @throws io when it cannot be opened */
export function openLog({ path, level, common, now, onTrouble }: LogOptions): LogFile {
  const levels = LOG_LEVELS.slice(0, LOG_LEVELS.indexOf(level) + 1);
  let fd: number;
  try {
    fd = openSync(path, FLAGS, OWNER_ONLY);
  } catch (error) {
    throw new ArchiverError('io', `--log-file ${printable(path)} cannot be written: ${errorText(error)}`, {
      hint: 'name a file in a folder that exists and that you may write to',
      cause: error,
    });
  }
  let hasReported = false;
  let isTorn = false;
  const reopenIfGone = (): void => {
    const { ino, dev } = fstatSync(fd);
    const there = statSync(path, { throwIfNoEntry: false });
    if (there?.ino === ino && there.dev === dev) return;
    const next = openSync(path, FLAGS, OWNER_ONLY);
    closeSync(fd);
    fd = next;
    isTorn = false;
  };
  const append = (text: string): void => {
    reopenIfGone();
    const bytes = Buffer.from(isTorn ? `\n${text}` : text);
    isTorn = true; // until all of it is written
    if (writeSync(fd, bytes) < bytes.length) throw new Error('no space is left for a whole line');
    isTorn = false;
  };
  return {
    write({ level, ...line }) {
      if (!levels.includes(level)) return;
      try {
        append(`${JSON.stringify(shown({ time: now().toISOString(), level, ...common, ...line }))}\n`);
      } catch (error) {
        if (!hasReported) onTrouble(`the log is not complete: ${printable(path)}: ${errorText(error)}`);
        hasReported = true;
      }
    },
    close() {
      try {
        closeSync(fd);
      } catch (error) {
        undefinedOn('EBADF', 'EIO', 'ENOSPC')(error);
      }
    },
  };
}

/** Removes secrets and characters that control a terminal. */
function shown(value: unknown): unknown {
  if (typeof value === 'string') return printable(withoutSecrets(value));
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shown(one)]));
}
