// A source of objects instead of files, as the steps of an upload see it. Types alone, below all steps.
import type { EventSink } from '../../events/events.js';
import type { EntryTable } from '../../format/columns/entry-table.js';
import type { FilterOptions } from '../scan/filter-options.js';
import type { ScanResult } from '../scan/scan.js';
import type { ChunkTask, Lane } from './chunk-task.js';

/** Brings what chunks are packed of to where the packers read it. */
export interface TaskFeed {
  /** Resolves when all that the task packs is there. @throws what ends the upload */
  ready(task: ChunkTask): Promise<void>;
  /** Removes what a packed task has read. */
  release(task: ChunkTask): Promise<void>;
}

export interface ObjectsToRead {
  /** Lists the objects as files. */
  list(filter: FilterOptions, emit: EventSink): Promise<ScanResult>;
  /** Called with what will be read, before anything is. @throws what keeps it from being read */
  mayRead(lanes: readonly Lane[], table: EntryTable): Promise<void>;
  feed(lanes: readonly Lane[], table: EntryTable): TaskFeed;
}
