// What manifests and version records say of S3 Object Lock.
import * as s from '../../platform/documents/schema.js';
import type { Retention } from '../../store/object-store.js';

/** With what an upload locked the objects that it put: chunks and direct files, manifest, version record. */
export const OBJECT_LOCK = s.schema(() =>
  s.object({
    mode: s.oneOf(['governance', 'compliance']),
    /** ISO 8601. */
    until: s.time,
  }),
);
export type ObjectLockRecord = s.Read<typeof OBJECT_LOCK>;

export const lockRecord = (retention: Retention | undefined): ObjectLockRecord | undefined =>
  retention && { mode: retention.mode, until: retention.until.toISOString() };

/** The lock that holds at `now`, of what the store says and what was recorded: the store knows of extensions. */
export function lastingLock(
  stored: Retention | undefined,
  recorded: ObjectLockRecord | undefined,
  now: Date,
): Retention | undefined {
  const retention = stored ?? (recorded && { mode: recorded.mode, until: new Date(recorded.until) });
  return retention !== undefined && retention.until > now ? retention : undefined;
}
