// Checks that a config may follow another. A signature alone does not prevent replaying an older config.
import { createHash } from 'node:crypto';
import { integrityError } from '../../platform/failures/errors.js';
import type { FleetConfig } from './fleet-config.js';
import type { Signer } from './signature.js';

/** Identifies the config that was accepted last. */
export interface AcceptedConfig {
  readonly version: number;
  /** SHA-256 of its bytes in hex. */
  readonly sha256: string;
}

/** Returns the identity of an accepted config. */
export const acceptedOf = ({ version }: Pick<FleetConfig, 'version'>, bytes: Uint8Array): AcceptedConfig => ({
  version,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

/** @throws integrity for an older version than the last one, and for other bytes under the same version */
export function assertNotOlder(next: AcceptedConfig, last: AcceptedConfig | undefined): void {
  if (last === undefined || next.version > last.version || next.sha256 === last.sha256) return;
  if (next.version < last.version) throw olderError(next.version, last.version);
  throw integrityError(`the config differs from the one before, and both have version ${next.version}`, {
    hint: RAISE,
  });
}

/** @throws integrity for a config that only an older key has signed than the one in use: the older one may have been stolen */
export function assertNoOlderKey(next: Signer, last: Signer): void {
  if (next.rank >= last.rank) return;
  throw integrityError(
    `the config was signed with the key ${next.keyId}, and the one in use with ${last.keyId}, which is newer`,
    { hint: 'sign it with the newer key' },
  );
}

const RAISE = 'raise version in the config and sign it again';

/** Returns the error for a config that is older than one already used. */
export const olderError = (version: number, used: number): Error =>
  integrityError(`the config has version ${version}, and ${used} was in use already`, { hint: RAISE });
