// What manifests and version records say of S3 Object Lock.
import type { Fields } from '../../platform/json/json-fields.js';
import type { Retention } from '../../store/object-store.js';

/** With what an upload locked the objects that it put: chunks and direct files, manifest, version record. */
export interface ObjectLockRecord {
  readonly mode: Retention['mode'];
  /** ISO 8601. */
  readonly until: string;
}

export const lockRecord = (retention: Retention | undefined): ObjectLockRecord | undefined =>
  retention && { mode: retention.mode, until: retention.until.toISOString() };

/** `objectLock`, where it is there. @throws integrity */
export function readObjectLock(document: Fields): ObjectLockRecord | undefined {
  if (document.get('objectLock') === undefined) return undefined;
  const fields = document.object('objectLock');
  const mode = fields.text('mode');
  if (mode !== 'governance' && mode !== 'compliance') return fields.fail('mode', 'governance or compliance');
  const until = fields.text('until');
  return Number.isNaN(Date.parse(until)) ? fields.fail('until', 'a time') : { mode, until };
}

/** The lock that holds at `now`, of what the store says and what was recorded: the store knows of extensions. */
export function lastingLock(
  stored: Retention | undefined,
  recorded: ObjectLockRecord | undefined,
  now: Date,
): Retention | undefined {
  const retention = stored ?? (recorded && { mode: recorded.mode, until: new Date(recorded.until) });
  return retention !== undefined && retention.until > now ? retention : undefined;
}
