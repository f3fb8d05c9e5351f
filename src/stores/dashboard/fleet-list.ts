// The writers of a fleet as rows. Pure.
import type { WriterStatus } from '../../core/fleet/watch/judge.js';
import { listModel } from './view-model.js';

export interface WriterRow {
  readonly id: string;
  readonly writer: WriterStatus;
}

const NONE: readonly WriterRow[] = [];
/** Keeps the same rows for the same writers. */
const known = new WeakMap<readonly WriterStatus[], readonly WriterRow[]>();

function rowsOf(writers: readonly WriterStatus[]): readonly WriterRow[] {
  const rows = known.get(writers) ?? writers.map((writer) => ({ id: writer.writerId, writer }));
  known.set(writers, rows);
  return rows;
}

const ageOf = ({ writer }: WriterRow): number => writer.ageMs ?? Infinity;

export const fleetList = listModel<WriterRow>({
  items: ({ store }) => {
    const status = store?.fleet.getState().value?.status;
    return status ? rowsOf(status.writers) : NONE;
  },
  text: ({ writer: { writerId, condition, troubles, heartbeat } }) =>
    `${writerId} ${condition} ${heartbeat?.host ?? ''} ${troubles.join(' ')} ${(heartbeat?.sources ?? []).map(({ path }) => path).join(' ')}`,
  sorts: [
    // In the given order: those that need attention come first.
    ['trouble', () => 0],
    ['writer', (one, other) => (one.id < other.id ? -1 : 1)],
    ['last seen', (one, other) => ageOf(other) - ageOf(one)],
  ],
});
