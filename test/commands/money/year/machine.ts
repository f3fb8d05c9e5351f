// A computer of the lab: it runs our commands, and what stores and budgets see of its uploads, prunes and restores goes through the code that
// counts, reserves and records them. Only the content is made up.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordContext, RunAccount } from '../../../../src/cli/context.js';
import { reservePart } from '../../../../src/commands/money/budget-gate.js';
import { openMeter } from '../../../../src/commands/money/open-meter.js';
import { retrievalGate } from '../../../../src/commands/money/retrieval-gate.js';
import { runBudgetOf } from '../../../../src/commands/money/run-budget.js';
import { program } from '../../../../src/commands/index.js';
import type { RunAbout } from '../../../../src/core/events/run-about.js';
import { isArchiverError } from '../../../../src/core/platform/failures/errors.js';
import { encodeStateDocument } from '../../../../src/core/platform/state/document.js';
import type { StoreMeter } from '../../../../src/core/store/meter.js';
import { asUploadId } from '../../../support/as-upload-id.js';
import { type CommandRun, json, runCommand } from '../../../support/run-command.js';
import type { Request, StoredObject } from './prices.js';

export const STORE = 's3://lab/archive';
export const REGION = 'us-west-2';

export interface LabPlaces {
  readonly folder: string;
  /** The place of budgets and records that all machines share. */
  readonly shared: string;
  readonly now: () => Date;
}

/** What a run does in the store. */
export interface Work {
  readonly requests: readonly Request[];
  readonly written?: readonly StoredObject[];
  readonly removed?: readonly StoredObject[];
}

const root = program();
const signal = new AbortController().signal;
const metered = ({ bornMs, ...object }: StoredObject) => ({ ...object, lastModified: new Date(bornMs) });

export class Machine {
  /** Warnings of its runs: there should be none. */
  readonly troubles: string[] = [];
  readonly home: string;

  constructor(
    private readonly lab: LabPlaces,
    readonly name: string,
  ) {
    this.home = join(lab.folder, name);
  }

  /** Runs a command of ours. */
  async command(...argv: readonly string[]): Promise<CommandRun> {
    const { folder, now } = this.lab;
    const env = { ARCHIVER_HOME: this.home };
    return await runCommand({ root, folder, env, now }, argv);
  }

  /** Returns what a command prints with --json. @throws what it says when it fails */
  async ask(...argv: readonly string[]): Promise<Record<string, unknown>> {
    const { stdout, stderr } = await this.command(...argv, '--json');
    if (stdout === '') throw new Error(`${argv.join(' ')}: ${stderr}`);
    return json(stdout);
  }

  begin(about: RunAbout): OpenRun {
    return new OpenRun(this, this.lab, about);
  }
}

/** A run that goes on. */
export class OpenRun {
  private readonly account: RunAccount;
  private readonly context: RecordContext & Parameters<typeof openMeter>[1];
  private readonly meter: StoreMeter;

  constructor(
    private readonly machine: Machine,
    { folder, shared, now }: LabPlaces,
    private readonly about: RunAbout,
  ) {
    const warn = (text: string): void => void machine.troubles.push(text);
    const values = { ledgerStore: shared, budgetStore: shared };
    this.account = { isRecorded: true, open: undefined, values, about };
    const pricing = { provider: 'aws', discount: undefined, own: {} } as const;
    this.context = { account: this.account, env: {}, home: machine.home, cwd: folder, signal, now, warn, pricing };
    openMeter(this.account, this.context);
    const { meter } = this.account;
    if (meter === undefined) throw new Error('no meter');
    this.meter = meter({ url: STORE, isAws: false, isFolder: false, region: REGION });
  }

  /** Asks budgets as an upload does. @returns false where it is refused */
  async mayStore(planned: { readonly costUsd: number; readonly bytes: number }): Promise<boolean> {
    const { budgetStore, ...access } = { budgetStore: String(this.account.values['budgetStore']), ...NO_ACCESS };
    const query = {
      place: { place: budgetStore, ...access },
      project: this.about.project ?? null,
      ending: 'nothing is sent',
    } as const;
    return await allowed(reservePart(query, { part: {}, planned }, this.context));
  }

  /**
   * Asks budgets as a restore or a thaw does. @param project as the manifest has it; undefined where that was not read
   * @returns false where it is refused
   */
  async mayFetch(uploadId: string, costUsd: number, project: string | null | undefined): Promise<boolean> {
    return await allowed(retrievalGate(this.account.values, uploadId, this.context)({ costUsd, project }));
  }

  /** Reads the projects of uploads where their manifests lie, as a prune does that has them before it. */
  async learn(objects: readonly StoredObject[]): Promise<void> {
    const projects = new Map<string, string | null>(
      objects.map(({ uploadId, project }) => [uploadId, project === uploadId ? null : project]),
    );
    await this.account.learnProjects?.(
      objects.map(({ uploadId }) => asUploadId(uploadId)),
      (id) => Promise.resolve(projects.get(id)),
    );
  }

  /** Makes its requests. */
  work({ requests, written = [], removed = [] }: Work): void {
    this.account.know?.(removed.map(metered));
    for (const one of requests) {
      if (one.kind === 'out') this.meter.fetched(one.storageClass, one.bytes);
      else if (one.kind === 'thaw') {
        this.account.know?.([{ key: one.key, sizeBytes: one.bytes, storageClass: one.storageClass }]);
        this.meter.thawed(one.key, one);
      } else for (let count = 0; count < one.count; count++) this.meter.requested(one.kind, one.storageClass);
    }
    for (const object of written) this.meter.wrote(metered(object));
    if (removed.length > 0)
      this.meter.removed(
        removed.map(({ key }) => key),
        true,
      );
  }

  /** Ends it. @param end exit status or error */
  async end(end: unknown = 0): Promise<void> {
    await this.account.record?.(this.context, end);
  }

  /** Ends it as when its computer loses power: nothing more is recorded. */
  die(): void {
    runBudgetOf(this.account)?.close();
    const running = join(this.machine.home, 'ledger', 'running');
    for (const name of readdirSync(running)) {
      const path = join(running, name);
      const { sha256: _, format, type, ...run } = json(readFileSync(path, 'utf8'));
      // No system has a process of this number.
      writeFileSync(
        path,
        encodeStateDocument({ type: String(type), format: Number(format) }, { ...run, pid: 99_999_999 }),
      );
    }
  }
}

const NO_ACCESS = { profile: undefined, endpointUrl: undefined, caBundle: undefined };

async function allowed(asked: Promise<void>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (isArchiverError(error, 'budget-exceeded')) return false;
    throw error;
  }
}
