// A lab with four computers and one store, by a clock of its own. It does at random what labs do, and keeps the history of the store.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MemoryS3 } from '../../../support/memory-s3.js';
import { randomOf } from '../../../support/random.js';
import { Bucket } from './bucket.js';
import { Machine, type OpenRun, REGION, STORE } from './machine.js';
import { chargesOf, CLASSES, isCold, type Request, type StoredObject, sumOf } from './prices.js';

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
const [KB, GB] = [1024, 2 ** 30];
export const PROJECTS = ['genome', 'climate', 'survey'] as const;
const NAMES = ['anna', 'ben', 'chris', 'dana'] as const;
/** Restores are below the first band of transfer, as uploads are below that of storage. */
const MOST_READ = 2048 * GB;

export interface Limits {
  readonly costUsd: number;
  readonly volumeGB: number;
  readonly period: 'total' | 'month';
}

interface Planned {
  readonly run: OpenRun;
  readonly project: string | undefined;
  readonly uploadId: string;
  readonly objects: readonly StoredObject[];
  readonly requests: readonly Request[];
  readonly operation: 'upload' | 'sync';
}

export class Lab {
  readonly machines: readonly Machine[];
  readonly bucket = new Bucket();
  /** By project; null is that of all projects. */
  readonly budgets = new Map<string | null, Limits>();
  nowMs: number;
  readonly random: (below: number) => number;
  private uploads = 0;

  constructor(
    folder: string,
    private readonly s3: MemoryS3,
    seed: number,
    startMs: number,
  ) {
    this.random = randomOf(seed);
    this.nowMs = startMs;
    const shared = `file://${join(folder, 'shared')}`;
    mkdirSync(join(folder, 'shared'));
    writeFileSync(
      join(folder, '.archiver.yaml'),
      `costControl:\n  provider: aws\n  budgetStore: ${shared}\n  ledgerStore: ${shared}\n`,
    );
    this.machines = NAMES.map((name) => new Machine({ folder, shared, now: () => new Date(this.nowMs) }, name));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.random(items.length)] as T;
  }

  wait(): void {
    this.nowMs += this.random(4) === 0 ? this.random(14 * DAY_MS) : this.random(4 * DAY_MS);
  }

  /** Does one thing. @returns its name */
  async act(): Promise<string> {
    const upload = ['upload', () => this.upload()] as const;
    const prune = ['prune', () => this.prune()] as const;
    const read = ['read', () => this.read()] as const;
    const acts = [
      upload,
      upload,
      upload,
      upload,
      prune,
      prune,
      read,
      read,
      ['together', () => this.together()],
      ['die', () => this.die()],
      ['move', () => this.move()],
      ['expire', () => this.expire()],
      ['budget', () => this.budget()],
    ] as const;
    const [name, act] =
      this.bucket.all().length === 0 ? upload : this.pick<readonly [string, () => Promise<void> | void]>(acts);
    await act();
    return name;
  }

  private sizeOf(): number {
    return (
      1 +
      this.pick([
        () => this.random(200 * KB),
        () => this.random(GB),
        () => 100 * this.random(GB),
        () => 3000 * this.random(GB),
      ])()
    );
  }

  private plan(machine: Machine): Planned {
    const stamp = new Date(this.nowMs)
      .toISOString()
      .replace(/[-:]|\..*/g, '')
      .replace('T', '-');
    const uploadId = `${stamp}-${(++this.uploads).toString(16).padStart(8, '0')}`;
    const project = this.random(5) === 0 ? undefined : this.pick(PROJECTS);
    const operation = this.pick(['upload', 'sync'] as const);
    const storageClass = this.pick(CLASSES);
    const about = { uploadId, project: project ?? uploadId, bornMs: this.nowMs };
    const objects = [
      ...Array.from({ length: 1 + this.random(4) }, (_, chunk) => {
        const key = `archive/uploads/${uploadId}/shard-00/chunk-${chunk}`;
        return { ...about, key, storageClass, sizeBytes: this.sizeOf() };
      }),
      {
        ...about,
        key: `archive/uploads/${uploadId}/manifest.jsonl`,
        storageClass: 'STANDARD',
        sizeBytes: 1 + this.random(90_000),
      } as const,
    ];
    const requests = [
      ...objects.map((object) => ({ kind: 'put', storageClass: object.storageClass, count: 1 }) as const),
      ...(operation === 'sync'
        ? [{ kind: 'list', storageClass: 'STANDARD', count: 1 + this.random(20) } as const]
        : []),
    ];
    const run = machine.begin({ operation, project, uploadId, datasetId: 'd-1', files: 10, bytes: 100 });
    return { run, project, uploadId, objects, requests, operation };
  }

  private async isAllowed({ run, project, uploadId, objects, requests }: Planned): Promise<boolean> {
    const costUsd = sumOf(chargesOf(null, requests).map(({ micros }) => micros)) / 1e6;
    const isAllowed = await run.mayStore({ costUsd, bytes: sumOf(objects.map(({ sizeBytes }) => sizeBytes)) });
    if (!isAllowed) await this.ended(run, project ?? uploadId, { requests: [] }, 1);
    return isAllowed;
  }

  private async ended(
    run: OpenRun,
    project: string | null,
    work: Parameters<OpenRun['work']>[0],
    end: unknown = 0,
  ): Promise<void> {
    run.work(work);
    this.bucket.note('run', this.nowMs, work, project);
    await run.end(end);
  }

  private finish({ run, project, uploadId, objects, requests }: Planned, end: unknown = 0): Promise<void> {
    return this.ended(run, project ?? uploadId, { requests, written: objects }, end);
  }

  private async upload(): Promise<void> {
    const planned = this.plan(this.pick(this.machines));
    if (await this.isAllowed(planned)) await this.finish(planned, this.pick([0, 0, 0, 3, new Error('lost')]));
  }

  /** Two machines at once: both have reserved before one of them ends. */
  private async together(): Promise<void> {
    const [one, other] = [this.plan(this.machines[0] as Machine), this.plan(this.machines[1] as Machine)];
    const begun: Planned[] = [];
    for (const planned of [one, other]) if (await this.isAllowed(planned)) begun.push(planned);
    for (const planned of this.random(2) === 0 ? begun : begun.toReversed()) await this.finish(planned);
  }

  /** An upload that a machine loses power in, and what the machine does next. */
  private async die(): Promise<void> {
    const machine = this.pick(this.machines);
    const planned = this.plan(machine);
    if (!(await this.isAllowed(planned))) return;
    const { run, project, uploadId, objects, requests } = planned;
    run.work({ requests, written: objects });
    // What is used is kept after a second at the latest.
    this.nowMs += 1000;
    const last = { kind: 'list', storageClass: 'STANDARD', count: 1 } as const;
    run.work({ requests: [last] });
    run.die();
    this.bucket.note('run', this.nowMs, { requests: [...requests, last], written: objects }, project ?? uploadId);
    await this.look(machine);
  }

  private async look(machine: Machine): Promise<void> {
    await this.ended(machine.begin({ operation: 'lock-extend' }), null, {
      requests: [{ kind: 'list', storageClass: 'STANDARD', count: 2 }],
    });
  }

  /** Whole uploads, or parts of them, of whoever made them. */
  private async prune(): Promise<void> {
    const ids = [...new Set(this.bucket.all().map(({ uploadId }) => uploadId))];
    const chosen = new Set(Array.from({ length: 1 + this.random(3) }, () => this.pick(ids)));
    const isPart = this.random(3) === 0;
    const removed = this.bucket
      .all()
      .filter(({ uploadId }) => chosen.has(uploadId) && !(isPart && this.random(2) === 0));
    if (removed.length === 0) return;
    const requests = [
      { kind: 'list', storageClass: 'STANDARD', count: 2 },
      { kind: 'put', storageClass: 'STANDARD', count: chosen.size },
    ] as const;
    const run = this.pick(this.machines).begin({ operation: 'prune' });
    if (this.random(2) === 0) await run.learn(removed);
    await this.ended(run, null, { requests, removed });
  }

  /** A restore of what can be read at once, or a thaw. */
  private async read(): Promise<void> {
    const { uploadId, project } = this.pick(this.bucket.all());
    const requests: Request[] = [];
    let bytes = 0;
    const [tier, days] = [this.pick(['bulk', 'standard'] as const), 1 + this.random(20)];
    for (const { key, storageClass, sizeBytes, ...object } of this.bucket.all()) {
      if (object.uploadId !== uploadId || bytes + sizeBytes > MOST_READ) continue;
      bytes += sizeBytes;
      if (isCold(storageClass)) requests.push({ kind: 'thaw', key, storageClass, tier, days, bytes: sizeBytes });
      else requests.push({ kind: 'get', storageClass, count: 1 }, { kind: 'out', storageClass, bytes: sizeBytes });
    }
    if (requests.length === 0) return;
    const operation = requests.some(({ kind }) => kind === 'thaw')
      ? 'thaw'
      : this.pick(['restore', 'download'] as const);
    const run = this.pick(this.machines).begin({ operation, uploadId });
    const costUsd = sumOf(chargesOf(null, requests).map(({ micros }) => micros)) / 1e6;
    const isRead = this.random(2) === 0;
    const isAllowed = await run.mayFetch(
      uploadId,
      costUsd,
      isRead ? (project === uploadId ? null : project) : undefined,
    );
    await this.ended(run, project, { requests: isAllowed ? requests : [] }, isAllowed ? 0 : 1);
  }

  /** A lifecycle rule moves what is old. */
  private move(): void {
    const to = this.pick(['GLACIER_IR', 'GLACIER', 'DEEP_ARCHIVE'] as const);
    const days = 30 + this.random(60);
    const isOld = ({ storageClass, bornMs }: StoredObject): boolean =>
      ['STANDARD', 'STANDARD_IA'].includes(storageClass) && this.nowMs - bornMs > days * DAY_MS;
    const removed = this.bucket.all().filter(isOld);
    if (removed.length === 0) return;
    const written = removed.map((object) => ({ ...object, storageClass: to }));
    this.bucket.note('unseen', this.nowMs, { requests: [], written, removed }, null);
  }

  /** A rule, or somebody by hand, deletes an upload. */
  private expire(): void {
    const { uploadId } = this.pick(this.bucket.all());
    const removed = this.bucket.all().filter((object) => object.uploadId === uploadId);
    this.bucket.note('unseen', this.nowMs, { requests: [], removed }, null);
  }

  private async budget(): Promise<void> {
    const project = this.pick([null, ...PROJECTS]);
    const named = project ?? '--global';
    const machine = this.pick(this.machines);
    if (this.budgets.has(project) && this.random(3) === 0) {
      await machine.ask('budget', 'remove', named);
      this.budgets.delete(project);
      return;
    }
    const known = this.budgets.get(project);
    const limits = {
      costUsd: 50 + this.random(4000),
      volumeGB: 1000 + this.random(100_000),
      period: known?.period ?? this.pick(['total', 'month'] as const),
    };
    const given = ['--cost', String(limits.costUsd), '--volume', String(limits.volumeGB), '--period', limits.period];
    await machine.ask('budget', 'set', named, ...given);
    this.budgets.set(project, limits);
  }

  /** Measures the store, as it is. */
  async rebase(): Promise<Record<string, unknown>> {
    this.s3.buckets.set('lab', this.bucket.listed());
    const machine = this.pick(this.machines);
    const found = await machine.ask(
      'cost',
      'rebase',
      STORE,
      '--allow-empty',
      '--endpoint-url',
      this.s3.endpoint,
      '--region',
      REGION,
    );
    this.bucket.measured(this.nowMs);
    return found;
  }

  later(hours: number): void {
    this.nowMs += hours * HOUR_MS;
  }
}
