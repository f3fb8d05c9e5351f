// The lifecycle rules of a bundle: what failed uploads and replaced heartbeats leave behind.
import { createHash } from 'node:crypto';
import { abortRule } from '../../money/lifecycle/template-rules.js';
import type { LifecycleRule } from '../../store/bucket-lifecycle.js';
import { heartbeatKey } from '../heartbeat.js';
import type { FleetPlace } from './fleet-place.js';
import type { StoreServer } from './store-server.js';

/** An agent that beats every three minutes leaves 480 old versions a day where the bucket keeps versions. */
const HEARTBEAT_DAYS = 1;

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/**
 * Returns the rules that the server takes. A rule has a prefix and no pattern, so heartbeats have one for each writer. It has no id of
 * `archiver lifecycle`, whose templates replace those.
 */
export function lifecycleRules({
  place,
  writerId,
  server,
}: {
  readonly place: FleetPlace;
  readonly writerId: string;
  readonly server: StoreServer;
}): readonly LifecycleRule[] {
  const storePrefix = place.base.slice(0, -1);
  const heartbeats: LifecycleRule = {
    ID: `archiver-heartbeats-${shortHash(storePrefix)}-${writerId}`,
    Filter: { Prefix: `${place.base}${heartbeatKey(writerId)}` },
    Status: 'Enabled',
    NoncurrentVersionExpiration: { NoncurrentDays: HEARTBEAT_DAYS },
  };
  return [
    ...(server.endsUploadsByRule ? [abortRule(storePrefix)] : []),
    ...(server.versioning === 'holds' ? [heartbeats] : []),
  ];
}
