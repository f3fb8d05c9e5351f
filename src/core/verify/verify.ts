// Is an upload whole? `quick` reads the manifest and compares it with itself; by default every chunk must also be in the
// store with its size; `deep` reads chunks, all of them or a sample, and checks every byte.
import { ArchiverError, isArchiverError } from '../errors.js';
import type { EventSink } from '../events.js';
import { readManifest, type ReadManifest } from '../manifest/manifest-reader.js';
import { pathProblem } from '../manifest/path-rules.js';
import { placeProblem } from '../manifest/manifest-check.js';
import type { Entry } from '../manifest/manifest-types.js';
import type { ObjectReader } from '../object-store/object-store.js';
import { printable } from '../raw-path.js';
import { resultPath } from '../restore/failures.js';
import { openTable, TableBuilder } from '../restore/selected-table.js';
import { checkObjects } from './check-objects.js';
import { deepCheck } from './deep-check.js';
import { ManifestChecker } from './manifest-checker.js';
import { Problems, type Problem } from './problem.js';

export type VerifyMode = 'quick' | 'default' | 'deep';

export interface VerifyOptions {
  readonly reader: ObjectReader;
  readonly uploadId: string;
  readonly mode: VerifyMode;
  /** Share of the chunks that `deep` reads; at least one. */
  readonly sample: number;
  /** From 0 to 1: chooses the sample. */
  readonly random: () => number;
  readonly requestsAtOnce: number;
  readonly memoryLimitBytes?: number | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

export interface VerifyResult {
  readonly ok: boolean;
  readonly uploadId: string;
  readonly mode: VerifyMode;
  readonly errors: readonly Problem[];
  /** All of them, also those beyond what is listed. */
  readonly errorCount: number;
  readonly warnings: readonly Problem[];
  readonly entries: number;
  readonly files: number;
  readonly bytes: number;
  readonly chunks: number;
  readonly chunksRead: number;
  readonly filesRead: number;
  readonly bytesRead: number;
}

/** Verifies an upload. @throws not-found and what the store says; damage is in the result */
export async function verifyUpload(options: VerifyOptions): Promise<VerifyResult> {
  options.emit({
    type: 'start',
    operation: 'verify',
    source: `${options.reader.url}/uploads/${options.uploadId}`,
    target: '',
  });
  return await new Verification(options).run();
}

/** `share` of the chunks, at least one where there are any, in ascending order. */
export function sampleChunks(chunks: readonly number[], share: number, random: () => number): number[] {
  if (share >= 1) return [...chunks];
  const count = Math.min(chunks.length, Math.max(1, Math.round(chunks.length * share)));
  const pool = [...chunks];
  const taken: number[] = [];
  while (taken.length < count)
    taken.push(...pool.splice(Math.min(pool.length - 1, Math.floor(random() * pool.length)), 1));
  return taken.sort((a, b) => a - b);
}

class Verification {
  private readonly errors = new Problems();
  private readonly warnings = new Problems();
  private readonly builder = new TableBuilder();
  private checker: ManifestChecker | undefined;
  private read = { chunks: 0, files: 0, bytes: 0 };

  constructor(private readonly options: VerifyOptions) {}

  async run(): Promise<VerifyResult> {
    const manifest = await this.readManifest();
    if (manifest !== undefined) await this.checkStore(manifest);
    this.options.emit({ type: 'done' });
    return this.result(manifest);
  }

  /** Undefined when it cannot be believed; why is among the errors. */
  private async readManifest(): Promise<ReadManifest | undefined> {
    const { reader, uploadId, signal } = this.options;
    try {
      const manifest = await readManifest(reader, {
        uploadId,
        signal,
        onHead: ({ head }) => {
          this.checker = new ManifestChecker(head, this.errors, this.warnings);
          this.chunks = head.chunks;
        },
        onEntry: (entry) => this.entry(entry),
        onForeign: ({ path, foreignType }) =>
          this.errors.add(`its type '${printable(foreignType)}' is not known`, { path: resultPath(path) }),
      });
      this.checker?.finish();
      return manifest;
    } catch (error) {
      if (!isArchiverError(error, 'integrity')) throw error;
      this.errors.add(error.message);
      return undefined;
    }
  }

  private chunks: ReadManifest['head']['chunks'] = [];

  private entry(entry: Entry): void {
    this.checker?.entry(entry);
    const hasContent = entry.type === 'file' || entry.type === 'hardlink';
    if (this.options.mode !== 'deep' || !hasContent || pathProblem(entry.path) !== undefined) return;
    if (placeProblem(entry, this.chunks) === undefined) this.builder.add(entry);
  }

  private async checkStore({ head }: ReadManifest): Promise<void> {
    const { mode, reader, signal, emit, sample, random, requestsAtOnce, memoryLimitBytes } = this.options;
    const { errors, warnings } = this;
    if (mode === 'quick') return;
    emit({ type: 'phase', phase: 'scanning' });
    await checkObjects({ reader, head, errors, warnings, signal });
    if (mode !== 'deep') return;
    const positions = head.chunks.map((_, position) => position);
    const chunks = sampleChunks(positions, sample, random);
    const data = this.builder.data();
    const checked = await deepCheck({
      reader,
      head,
      table: openTable(data),
      data,
      extras: this.builder.extras,
      chunks,
      requestsAtOnce,
      memoryLimitBytes,
      errors,
      emit,
      signal,
    });
    this.read = { chunks: chunks.length, files: checked.filesChecked, bytes: checked.bytesRead };
  }

  private result(manifest: ReadManifest | undefined): VerifyResult {
    const { checker, errors, warnings, read, options } = this;
    if (manifest === undefined && errors.count === 0) throw new ArchiverError('internal', 'verify has no verdict');
    return {
      ok: errors.count === 0,
      uploadId: options.uploadId,
      mode: options.mode,
      errors: errors.list,
      errorCount: errors.count,
      warnings: warnings.list,
      entries: checker?.entries ?? 0,
      files: (checker?.entries ?? 0) - (checker?.directories ?? 0),
      bytes: checker?.bytes ?? 0,
      chunks: manifest?.head.chunks.length ?? 0,
      chunksRead: read.chunks,
      filesRead: read.files,
      bytesRead: read.bytes,
    };
  }
}
