// Reservations: a run that begins notes in the book what it will use at most, so that others do not begin on the same rest of a budget. It
// is removed when the run is counted; that of a run that died expires. Pure.
import * as s from '../../platform/documents/schema.js';
import { RESERVED_MS } from './reserved.js';

export const RESERVATION = s.schema(() =>
  s.object({
    /** Id of the run, as its record in the ledger has it. */
    id: s.matching(/^[0-9a-f]{16}$/, 'the id of a run'),
    project: s.nullable(s.text),
    /** 0 where the cost is not known. */
    micros: s.count,
    bytes: s.count,
    /** When it expires, in UTC. */
    until: s.time,
  }),
);
export type Reservation = s.Read<typeof RESERVATION>;

type All = readonly Reservation[];

/** Returns the reservations that have not expired and count for a project, or with null for all projects. */
export const reservedFor = (all: All, project: string | null, now: Date): All =>
  all.filter((one) => Date.parse(one.until) > now.getTime() && (project === null || one.project === project));

/** Returns all with the reservation of a run, which lasts from now on; without those that have expired. */
export const withReservation = (all: All, mine: Omit<Reservation, 'until'>, now: Date): All => [
  ...withoutReservation(all, mine.id, now),
  { ...mine, until: new Date(now.getTime() + RESERVED_MS).toISOString() },
];

/** Returns all without the reservation of a run, and without those that have expired. */
export const withoutReservation = (all: All, id: string, now: Date): All =>
  reservedFor(all, null, now).filter((one) => one.id !== id);
