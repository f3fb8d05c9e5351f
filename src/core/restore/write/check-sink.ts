// Content that is only checked: compares each file's MD5 with the manifest's. Nothing is written.
import { hash } from 'node:crypto';
import { integrityError } from '../../platform/failures/errors.js';
import { ContentHash, HoleLimit, scatter } from './content-hash.js';
import type { ContentSink, OpenContent, Settled } from './content-sink.js';
import type { Extra, SelectedTable } from '../plan/selected-table.js';
import { dataRuns, type DataRun } from '../plan/sparse-map.js';

interface Checked extends OpenContent {
  /** Undefined if there is nothing to compare with. */
  readonly hash: ContentHash | undefined;
  readonly runs: readonly DataRun[];
}

/** Makes the error for a wrong checksum. */
export const wrongContent = (): Error => integrityError('its content does not match its MD5 in the manifest');

export class CheckSink implements ContentSink {
  constructor(
    private readonly table: SelectedTable,
    private readonly holes = new HoleLimit(),
  ) {}

  whole(index: number, bytes: Uint8Array, _extra: Extra | undefined, isChecked: boolean): boolean {
    const expected = isChecked ? undefined : this.table.md5(index);
    if (expected !== undefined && hash('md5', bytes, 'hex') !== expected) throw wrongContent();
    return true;
  }

  open(index: number, storedSize: number, extra: Extra | undefined): Checked {
    const runs = dataRuns(this.table.columns.size[index] ?? 0, extra?.holes ?? []);
    if (this.table.columns.hasMd5[index] !== 1) return { index, remaining: storedSize, hash: undefined, runs };
    this.holes.take(extra?.holes);
    return { index, remaining: storedSize, hash: new ContentHash(this.holes), runs };
  }

  write(content: OpenContent, position: number, bytes: Uint8Array): void {
    const { hash, runs } = content as Checked;
    if (hash !== undefined) scatter(runs, position, bytes, (offset, part) => hash.update(offset, part));
  }

  finish(content: OpenContent): boolean {
    const expected = this.table.md5(content.index);
    if (expected === undefined) return true;
    const actual = (content as Checked).hash?.digest(this.table.columns.size[content.index] ?? 0);
    if (actual === undefined) throw integrityError('its parts are not in order');
    if (actual !== expected) throw wrongContent();
    return true;
  }

  settleAll(): void {
    // Nothing waits.
  }

  takeSettled(): readonly Settled[] {
    return [];
  }

  abandon(): void {
    // Nothing was made.
  }

  takeWarnings(): readonly string[] {
    return [];
  }

  dispose(): void {
    // Nothing is held.
  }
}
