// The destination of unpacked content: the disk (file-sink.ts), or only a checksum (check-sink.ts).
import type { Extra } from '../plan/selected-table.js';

/** The outcome for a file that was complete before its MD5 was compared. */
export interface Settled {
  readonly index: number;
  /** Why it failed; undefined when it is in place. */
  readonly error: unknown;
}

/** A file whose content comes in pieces. */
export interface OpenContent {
  readonly index: number;
  /** Stored bytes that have not come yet. */
  remaining: number;
}

export interface ContentSink {
  /**
   * Takes the whole content of a plain file at once; `isChecked` when its MD5 was found right. @returns false when it is decided later:
   * `takeSettled` will name it. @throws why it failed
   */
  whole(index: number, bytes: Uint8Array, extra: Extra | undefined, isChecked: boolean): boolean;
  /** Begins a file that comes in pieces. @throws why it failed */
  open(index: number, storedSize: number, extra: Extra | undefined): OpenContent;
  /** Takes stored bytes at `position` of the stored content. @throws why it failed */
  write(content: OpenContent, position: number, bytes: Uint8Array): void;
  /**
   * Called when all bytes are there: checks the file and puts it in place. @returns false when it is decided later: `takeSettled` will name
   * it. @throws why it failed; the content is then gone
   */
  finish(content: OpenContent): boolean;
  /** Compares everything that is waiting. */
  settleAll(): void;
  /** Returns the files that were decided about since the last call. */
  takeSettled(): readonly Settled[];
  /** Drops a file and leaves nothing of it. */
  abandon(content: OpenContent): void;
  /** Returns the warnings since the last call. */
  takeWarnings(): readonly string[];
  /** Drops files that were not compared, and releases resources. */
  dispose(): void;
}
