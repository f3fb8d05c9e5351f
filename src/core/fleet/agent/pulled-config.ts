// Fetches the signed config of a writer before each cycle. The config's exact bytes must be signed by the operator, and it must not be
// older than the last one, be for another writer, or make the agent read more than before without saying so. When it is refused, the last
// good one stays in use, and the reason goes into the heartbeat.
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
  /** Public key of the operator, in PEM. */
  readonly publicKey: string;
  /** Opens the base of the fleet, runs `work` with it and closes it. */
  readonly reading: <T>(work: (reader: ObjectReader) => Promise<T>) => Promise<T>;
  readonly kept: KeptConfig;
  /** Returns the version of the config that an earlier process used, if known from elsewhere: the kept config may be lost or damaged. */
  readonly lastVersion: () => Promise<number | undefined>;
  readonly planOf: (config: FleetConfig) => AgentPlan;
  /** Called for problems that do not stop the agent. */
  readonly onTrouble: (text: string) => void;
}

interface Accepted {
  readonly signed: SignedConfig;
  readonly config: FleetConfig;
}

export class PulledConfig implements PlanSource {
  private accepted: Accepted | undefined;
  /** Older versions are not accepted. */
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
        // Without permission to list, a missing signature looks like a missing permission to the writer.
        what = 'the config is not signed, or its signature cannot be fetched';
        return { bytes, signature: await readAll(await reader.get(`${key}.sig`, { signal }), MAX_CONFIG_BYTES) };
      });
    } catch (error) {
      throw integrityError(`${what}: ${errorText(error)}`, { cause: error });
    }
  }

  /** Accepts the config. @throws integrity when it is refused */
  private async accept(signed: SignedConfig): Promise<void> {
    const before = this.accepted;
    if (before?.signed.bytes.equals(signed.bytes) === true) {
      // The config in use was verified before, but a signature that was damaged since is reported all the same.
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

  /** Checks the signature and the content. @throws integrity for a config that is not signed, not valid, or not for this writer */
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

  /** Returns the config of an earlier process, if its signature is still valid. */
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

/** @throws integrity for a config older than the one in use, and for one that makes the agent read more without saying so */
function refuseStep(from: Accepted, to: Accepted): void {
  assertNotOlder(acceptedOf(to.config, to.signed.bytes), acceptedOf(from.config, from.signed.bytes));
  if (to.config.allowScopeExpansion) return;
  const wider = widenings(from.config, to.config);
  if (wider.length === 0) return;
  throw integrityError(
    `version ${to.config.version} of the config makes this agent read more, without allow_scope_expansion: ${wider.map(printable).join('; ')}`,
  );
}
