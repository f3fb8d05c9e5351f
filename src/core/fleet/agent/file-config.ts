// A config in a local file, which is read again before each cycle.
import { readFile } from 'node:fs/promises';
import { errorText, integrityError, usageError } from '../../platform/failures/errors.js';
import { fileFailure } from '../../platform/failures/file-failure.js';
import { printable } from '../../platform/paths/raw-path.js';
import { checkFleetConfig } from '../config/check-fleet-config.js';
import type { FleetConfig } from '../config/fleet-config.js';
import { type AgentPlan, deleteRefusal, type PlanLook, type PlanSource, type PlanState } from './agent-plan.js';

/** Reads and checks the file. @throws usage for errors in it; access-denied, io */
export async function readConfigFile(path: string): Promise<FleetConfig> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw fileFailure('read', path, error);
  }
  const { config, errors } = checkFleetConfig(bytes);
  if (config !== undefined && errors.length === 0) return config;
  throw usageError(
    `${printable(path)} cannot be used: ${errors.map(printable).join('; ')}`,
    `archiver fleetagent validate-config ${printable(path)}`,
  );
}

/** Returns the plan of the file, or that of its last valid state. Writer and store must not change. */
export class FileConfig implements PlanSource {
  constructor(
    private readonly path: string,
    private current: FleetConfig,
    private readonly planOf: (config: FleetConfig) => AgentPlan,
    /** Called for what a config asks for in vain, once while it is so. */
    private readonly onTrouble: (text: string) => void,
  ) {}

  private refusal: string | undefined;

  async next(): Promise<PlanState> {
    let error: string | undefined;
    try {
      const read = await readConfigFile(this.path);
      const { writerId, storeUrl } = this.current;
      if (read.writerId !== writerId || read.storeUrl !== storeUrl)
        throw integrityError(`${printable(this.path)} names another writer or store now: restart the agent for that`);
      this.current = read;
    } catch (failure) {
      error = errorText(failure);
    }
    const plan = this.planOf(this.current);
    const refusal = deleteRefusal(plan);
    if (refusal !== undefined && refusal !== this.refusal) this.onTrouble(refusal);
    this.refusal = refusal;
    return { plan, error };
  }

  async look(): Promise<PlanLook> {
    const { version } = this.current;
    const { error } = await this.next();
    return { error, runNowMs: this.current.version > version ? this.current.runNowMs : undefined };
  }
}
