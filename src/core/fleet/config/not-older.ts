// Which configs may follow one another. A signature alone lets somebody replay an older config.
import { createHash } from 'node:crypto';
import { integrityError } from '../../platform/failures/errors.js';
import type { FleetConfig } from './fleet-config.js';

/** What is kept of the config that was accepted last. */
export interface AcceptedConfig {
  readonly version: number;
  /** Hex SHA-256 of its bytes. */
  readonly sha256: string;
}

/** What to keep of a config and its bytes once it is accepted. */
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

const RAISE = 'raise version in the config and sign it again';

/** What is said of a config that is older than one that was in use. */
export const olderError = (version: number, used: number): Error =>
  integrityError(`the config has version ${version}, and ${used} was in use already`, { hint: RAISE });
