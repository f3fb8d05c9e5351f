// Fetches the signed config of a writer before each cycle, and between cycles when it has changed. The config's exact bytes must be
// signed by the operator, and it must not be older than the last one, be for another writer, or make the agent read more than before or
// send elsewhere without saying so. When it is refused, the last good one stays in use, and the reason goes into the heartbeat.
import { errorText, integrityError, isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectStore } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { printable } from '../../platform/paths/raw-path.js';
import { checkFleetConfig } from '../config/check-fleet-config.js';
import { configKey, type FleetConfig, MAX_CONFIG_BYTES } from '../config/fleet-config.js';
import { acceptedOf, assertFollowsUsed, assertNoOlderKey, assertNotOlder } from '../config/not-older.js';
import { assertVersionSigned, readSidecar, type Signer, verifyConfig } from '../config/signature.js';
import { marksOf, noteUsed, usedVersions } from '../config/used-versions.js';
import { widenings } from '../config/compare-scope.js';
import { type AgentPlan, deleteRefusal, type PlanLook, type PlanSource, type PlanState } from './agent-plan.js';
import type { KeptConfig, SignedConfig } from './kept-config.js';

export interface PulledConfigOptions {
  readonly writerId: string;
  /** Public keys of the operator, in PEM, the newest last. */
  readonly publicKeys: string;
  /** Opens the base of the fleet, runs `work` with it and closes it. */
  readonly withFleet: <T>(work: (store: ObjectStore) => Promise<T>) => Promise<T>;
  readonly kept: KeptConfig;
  /** Returns the version of the config that an earlier process used, if known from elsewhere: the kept config may be lost or damaged. */
  readonly lastVersion: () => Promise<number | undefined>;
  readonly planOf: (config: FleetConfig) => AgentPlan;
  /** Called for problems that do not stop the agent. */
  readonly onTrouble: (text: string) => void;
}

/** Time limit of a look between cycles, which must not delay the next one. */
const LOOK_PATIENCE_MS = 20_000;

interface Fetched extends SignedConfig {
  readonly etag: string;
}

interface Accepted {
  readonly signed: SignedConfig;
  readonly config: FleetConfig;
  readonly signer: Signer;
}

export class PulledConfig implements PlanSource {
  private accepted: Accepted | undefined;
  /** Older versions are not accepted. */
  private oldest = 0;
  private hasRead = false;
  /** The version in use, and how the store is told of it, until it has been. */
  private unnoted: { readonly version: number; readonly marks: readonly string[] } | undefined;
  /** What lies in the store as a version that was used, and no trusted key has signed. */
  private forged: string | undefined;
  /** ETag of the config in use; undefined when another one was refused since, or none was fetched. */
  private etag: string | undefined;

  constructor(private readonly options: PulledConfigOptions) {}

  async next(signal: AbortSignal): Promise<PlanState> {
    if (!this.hasRead) {
      this.accepted = await this.readKept();
      this.oldest = (await this.options.lastVersion()) ?? 0;
    }
    this.hasRead = true;
    let error: string | undefined;
    try {
      await this.take(await this.fetch(signal), signal);
    } catch (failure) {
      throwIfCancelled(signal);
      error = errorText(failure);
    }
    const { accepted, forged } = this;
    return { plan: accepted && this.options.planOf(accepted.config), error, forged };
  }

  async look(signal: AbortSignal): Promise<PlanLook | undefined> {
    const before = this.accepted?.config.version ?? 0;
    const fetched = await this.fetchChanged(signal);
    if (fetched === undefined) return undefined;
    try {
      await this.take(fetched, signal);
    } catch (failure) {
      throwIfCancelled(signal);
      // The store did not answer: the next cycle asks again, and says so.
      if (!isArchiverError(failure, 'integrity')) return undefined;
      return { error: errorText(failure), runNowMs: undefined };
    }
    const { version = 0, runNowMs } = this.accepted?.config ?? {};
    return { error: undefined, runNowMs: version > before ? runNowMs : undefined };
  }

  /** Returns undefined when the config is the one in use, and when the store does not say: the next cycle asks again, and says so. */
  private async fetchChanged(signal: AbortSignal): Promise<Fetched | undefined> {
    const { withFleet, writerId } = this.options;
    const brief = AbortSignal.any([signal, AbortSignal.timeout(LOOK_PATIENCE_MS)]);
    try {
      const { etag } = this;
      const isSame =
        etag !== undefined && etag === (await withFleet((store) => store.head(configKey(writerId), brief)))?.etag;
      return isSame ? undefined : await this.fetch(brief);
    } catch (failure) {
      throwIfCancelled(signal);
      if (!isArchiverError(failure) && !brief.aborted) throw failure;
      return undefined;
    }
  }

  private async take(fetched: Fetched, signal: AbortSignal): Promise<void> {
    this.etag = undefined;
    await this.accept(fetched, signal);
    this.etag = fetched.etag;
    await this.noteInStore(signal);
  }

  private async fetch(signal: AbortSignal): Promise<Fetched> {
    const key = configKey(this.options.writerId);
    let what = 'the config could not be fetched';
    try {
      return await this.options.withFleet(async (store) => {
        const content = await store.get(key, { signal });
        const bytes = await readAll(content, MAX_CONFIG_BYTES);
        // Without permission to list, a missing signature looks like a missing permission to the writer.
        what = 'the config is not signed, or its signature cannot be fetched';
        const signature = await readAll(await store.get(`${key}.sig`, { signal }), MAX_CONFIG_BYTES);
        return { bytes, signature, etag: content.etag };
      });
    } catch (error) {
      throw integrityError(`${what}: ${errorText(error)}`, { cause: error });
    }
  }

  /** Accepts the config. @throws integrity when it is refused; what the store throws */
  private async accept(signed: SignedConfig, signal: AbortSignal): Promise<void> {
    const before = this.accepted;
    const next = this.verified(signed);
    if (before !== undefined) {
      assertNoOlderKey(next.signer, before.signer);
      const isSame = before.signed.bytes.equals(signed.bytes);
      if (isSame && before.signed.signature.equals(signed.signature)) return;
      if (!isSame) refuseStep(before, next);
    } else {
      await this.refuseUsed(next, signal);
    }
    this.accepted = next;
    try {
      await this.options.kept.write(signed);
    } catch (error) {
      this.options.onTrouble(`after a restart an older config could be taken for a new one: ${errorText(error)}`);
    }
    const { version } = next.config;
    this.unnoted = { version, marks: marksOf(next.config, readSidecar(signed.signature)) };
    const refusal = deleteRefusal(this.options.planOf(next.config));
    if (refusal !== undefined) this.options.onTrouble(refusal);
  }

  /** Compares the first config of an agent that remembers none with what the store shows. @throws integrity for an older one */
  private async refuseUsed({ config: { version }, signer }: Accepted, signal: AbortSignal): Promise<void> {
    const { withFleet, writerId, publicKeys } = this.options;
    const used = await withFleet((store) => usedVersions(store, { writerId, publicKeys }, signal));
    const { unsigned } = used;
    this.forged =
      unsigned !== undefined && unsigned.version > version
        ? `${unsigned.key} says that version ${unsigned.version} of its config was in use, and no trusted key has signed that: it counts as nothing`
        : undefined;
    assertFollowsUsed({ version, signer }, { ...used, remembered: this.oldest });
  }

  /** Says in the store which version is in use, where that could not be said yet. */
  private async noteInStore(signal: AbortSignal): Promise<void> {
    const { withFleet, onTrouble } = this.options;
    if (this.unnoted === undefined) return;
    const { version, marks } = this.unnoted;
    const risk = `an agent that remembers nothing could take an older config than version ${version}`;
    try {
      await withFleet((store) => noteUsed(store, marks, signal));
      this.unnoted = undefined;
      if (marks.length === 0)
        onTrouble(`${risk}: it was signed by an earlier archiver, which did not sign its version`);
    } catch (error) {
      throwIfCancelled(signal);
      onTrouble(`${risk}: ${errorText(error)}`);
    }
  }

  /** Checks the signature and the content. @throws integrity for a config that is not signed, not valid, or not for this writer */
  private verified(signed: SignedConfig): Accepted {
    const { writerId, publicKeys } = this.options;
    const { bytes, signature } = signed;
    const signer = verifyConfig(bytes, signature, publicKeys);
    const { config, errors } = checkFleetConfig(bytes);
    if (config === undefined || errors.length > 0)
      throw integrityError(`the config is signed and has errors: ${errors.map(printable).join('; ')}`);
    if (config.writerId !== writerId)
      throw integrityError(`the config is for writer ${printable(config.writerId)}, and this is ${writerId}`);
    assertVersionSigned(config, readSidecar(signature), publicKeys);
    return { signed, config, signer };
  }

  /** Returns the config of an earlier process, if its signature is still valid. */
  private async readKept(): Promise<Accepted | undefined> {
    try {
      const signed = await this.options.kept.read();
      return signed && this.verified(signed);
    } catch (error) {
      this.options.onTrouble(`the config of an earlier run is not used: ${errorText(error)}`);
      return undefined;
    }
  }
}

/** @throws integrity for a config older than the one in use, and for one that makes the agent read more or send elsewhere without saying so */
function refuseStep(from: Accepted, to: Accepted): void {
  assertNotOlder(acceptedOf(to.config, to.signed.bytes), acceptedOf(from.config, from.signed.bytes));
  if (to.config.allowScopeExpansion) return;
  const wider = widenings(from.config, to.config);
  if (wider.length === 0) return;
  throw integrityError(
    `version ${to.config.version} of the config makes this agent read more or send elsewhere, without allow_scope_expansion: ${wider.map(printable).join('; ')}`,
  );
}
