// The signed config of a writer, fetched before each cycle. Only what the operator has signed is believed, over its exact
// bytes, and nothing that is older than the last one, is for another writer, or makes the agent read more than before without
// saying so. Whatever is refused, the last good one stays in use, and the reason goes into the heartbeat.
import { errorText, integrityError } from '../../platform/failures/errors.js';
import type { ObjectReader } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { printable } from '../../platform/paths/raw-path.js';
import { checkFleetConfig } from '../config/check-fleet-config.js';
import { configKey, type FleetConfig, MAX_CONFIG_BYTES } from '../config/fleet-config.js';
import { acceptedOf, assertNotOlder, olderError } from '../config/not-older.js';
import { verifyConfig } from '../config/signature.js';
import { widenings } from '../config/compare-scope.js';
import { type AgentPlan, type PlanSource, type PlanState } from './agent-plan.js';
import type { KeptConfig, SignedConfig } from './kept-config.js';

export interface PulledConfigOptions {
  readonly writerId: string;
  /** Of the operator, PEM. */
  readonly publicKey: string;
  /** Opens the base of the fleet, reads from it and closes it. */
  readonly reading: <T>(work: (reader: ObjectReader) => Promise<T>) => Promise<T>;
  readonly kept: KeptConfig;
  /** Version of the config that an earlier process used, where that is known otherwise: what is kept may be lost or damaged. */
  readonly lastVersion: () => Promise<number | undefined>;
  readonly planOf: (config: FleetConfig) => AgentPlan;
  /** Told what does not stop the agent. */
  readonly onTrouble: (text: string) => void;
}

interface Accepted {
  readonly signed: SignedConfig;
  readonly config: FleetConfig;
}

export class PulledConfig implements PlanSource {
  private accepted: Accepted | undefined;
  /** Nothing older is taken. */
  private oldest = 0;
  private hasRead = false;

  constructor(private readonly options: PulledConfigOptions) {}

  async next(signal: AbortSignal): Promise<PlanState> {
    if (!this.hasRead) {
      this.accepted = await this.readKept();
      this.oldest = (await this.options.lastVersion()) ?? 0;
    }
    this.hasRead = true;
    let error: string | undefined;
    try {
      await this.accept(await this.fetch(signal));
    } catch (failure) {
      throwIfCancelled(signal);
      error = errorText(failure);
    }
    const { accepted } = this;
    return { plan: accepted && this.options.planOf(accepted.config), error };
  }

  private async fetch(signal: AbortSignal): Promise<SignedConfig> {
    const key = configKey(this.options.writerId);
    let what = 'the config could not be fetched';
    try {
      return await this.options.reading(async (reader) => {
        const bytes = await readAll(await reader.get(key, { signal }), MAX_CONFIG_BYTES);
        // A writer that may not list there is told that it has no permission.
        what = 'the config is not signed, or its signature cannot be fetched';
        return { bytes, signature: await readAll(await reader.get(`${key}.sig`, { signal }), MAX_CONFIG_BYTES) };
      });
    } catch (error) {
      throw integrityError(`${what}: ${errorText(error)}`, { cause: error });
    }
  }

  /** @throws integrity where it is refused */
  private async accept(signed: SignedConfig): Promise<void> {
    const before = this.accepted;
    if (before?.signed.bytes.equals(signed.bytes) === true) {
      // What is in use is signed already; a signature that is broken since is told all the same.
      this.verified(signed);
      return;
    }
    const config = this.verified(signed);
    if (before !== undefined) refuseStep(before, { signed, config });
    else if (config.version < this.oldest) throw olderError(config.version, this.oldest);
    this.accepted = { signed, config };
    try {
      await this.options.kept.write(signed);
    } catch (error) {
      this.options.onTrouble(`after a restart an older config could be taken for a new one: ${errorText(error)}`);
    }
  }

  /** @throws integrity for what is not signed, not sound, or not for this writer */
  private verified({ bytes, signature }: SignedConfig): FleetConfig {
    const { writerId, publicKey } = this.options;
    verifyConfig(bytes, signature, publicKey);
    const { config, errors } = checkFleetConfig(bytes);
    if (config === undefined || errors.length > 0)
      throw integrityError(`the config is signed and has errors: ${errors.map(printable).join('; ')}`);
    if (config.writerId !== writerId)
      throw integrityError(`the config is for writer ${printable(config.writerId)}, and this is ${writerId}`);
    return config;
  }

  /** The one of an earlier process, where it is still what the operator has signed. */
  private async readKept(): Promise<Accepted | undefined> {
    try {
      const signed = await this.options.kept.read();
      return signed && { signed, config: this.verified(signed) };
    } catch (error) {
      this.options.onTrouble(`the config of an earlier run is not used: ${errorText(error)}`);
      return undefined;
    }
  }
}

/** @throws integrity for an older config than the one in use, and for one that widens what is read without saying so */
function refuseStep(from: Accepted, to: Accepted): void {
  assertNotOlder(acceptedOf(to.config, to.signed.bytes), acceptedOf(from.config, from.signed.bytes));
  if (to.config.allowScopeExpansion) return;
  const wider = widenings(from.config, to.config);
  if (wider.length === 0) return;
  throw integrityError(
    `version ${to.config.version} of the config makes this agent read more, without allow_scope_expansion: ${wider.map(printable).join('; ')}`,
  );
}
