// Lanes that come while others are packed, for what is not known before it is read. Types alone, below all steps.
import type { ChunkTask, Lane } from './chunk-task.js';

export interface LaneSource {
  /** Begins to read; `onMore` is called whenever there may be a lane to take, or none will come any more, `onFailure` with what ended it. */
  begin(onMore: () => void, onFailure: (error: unknown) => void): void;
  /** Returns the next lane; undefined while there is none. */
  take(): Lane | undefined;
  /** True when every lane was taken. */
  readonly isOver: boolean;
  /** Takes back what a packed task held. */
  release(task: ChunkTask): void;
  /** Stops reading. */
  close(): void;
}
