// S3 Object Lock in manifests and version records.
import * as s from '../../platform/documents/schema.js';
import type { Retention } from '../../store/object-store.js';

/** Lock that an upload set on the objects that it put: chunks and direct files, manifest, version record. */
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

/** The lock that is in force at `now`; the stored one takes precedence over the recorded one, since the store knows of extensions. */
export function effectiveLock(
  stored: Retention | undefined,
  recorded: ObjectLockRecord | undefined,
  now: Date,
): Retention | undefined {
  const retention = stored ?? (recorded && { mode: recorded.mode, until: new Date(recorded.until) });
  return retention !== undefined && retention.until > now ? retention : undefined;
}
