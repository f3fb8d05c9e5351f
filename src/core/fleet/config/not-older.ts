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

export interface UsedBefore {
  /** The highest version that each trusted key has signed and this writer has used; 0 for none. */
  readonly byRank: readonly number[];
  /** The version that this computer knows of, whoever has signed it. */
  readonly remembered: number;
}

/**
 * Checks the first config of an agent that has none to compare with. What older keys than its own have signed counts as nothing: they may have
 * been stolen. @throws integrity for a version below one that was used, and for a key that was replaced
 */
export function assertFollowsUsed(
  { version, signer }: { readonly version: number; readonly signer: Signer },
  { byRank, remembered }: UsedBefore,
): void {
  const newer = byRank.findLast((used, rank) => rank > signer.rank && used > 0);
  if (newer !== undefined)
    throw integrityError(`the config was signed with the key ${signer.keyId}, and version ${newer} with a newer one`, {
      hint: 'sign it with the newer key',
    });
  const used = Math.max(remembered, byRank[signer.rank] ?? 0);
  if (version < used) throw olderError(version, used);
}

const RAISE = 'raise version in the config and sign it again';

/** Returns the error for a config that is older than one already used. */
const olderError = (version: number, used: number): Error =>
  integrityError(`the config has version ${version}, and ${used} was in use already`, { hint: RAISE });
