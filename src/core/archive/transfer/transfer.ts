// Packs and sends what is planned: the pipeline, with the ledger, the journal and the progress that belong to it.
import { SentMeter } from './sent-meter.js';
import { StoredFiles } from './stored-files.js';
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import { uploadFolder } from '../../store/ids/upload-id.js';
import type { ManifestWriter } from '../../format/manifest/manifest-writer.js';
import { displayPath } from '../../platform/paths/raw-path.js';
import type { FilesAndBytes } from '../resume/upload-journal.js';
import type { UploadRun } from '../run/upload-run.js';
import { PackPool } from '../pack/pack-pool.js';
import { packSettings } from '../pack/pack-settings.js';
import type { ChunkTask } from '../run/chunk-task.js';
import type { LaneSource } from '../run/lane-source.js';
import { plannedObjects } from '../plan/direct-plan.js';
import { pendingTotals } from '../plan/pending-rows.js';
import { type PlanInput, planUpload, type UploadPlan } from '../plan/plan-upload.js';
import { acknowledgedChunk, type JournalInput, journalPlan } from '../resumed/journal-entry.js';
import { reportSkips } from '../scan/report-skips.js';
import { runPipeline } from './pipeline.js';
import { counted } from '../../platform/text/counted.js';

export interface TransferHooks {
  /** Receives entries as chunks come out of the packers. */
  readonly manifest?: ManifestWriter;
  /** Called when the last chunk is packed and the last ones are still on their way. */
  readonly onAllPacked?: (plan: UploadPlan) => void;
  /** Lanes that come while others are packed. */
  readonly source?: LaneSource;
  /** Leave out chunks in which nothing could be stored. */
  readonly withoutEmptyChunks?: boolean;
}

export type TransferInput = Pick<
  UploadRun,
  'source' | 'objects' | 'labels' | 'failFast' | 'signal' | 'resume' | 'retries' | 'retention'
> &
  PlanInput &
  JournalInput;

/**
 * Packs and sends every lane of the plan and then, in a further round, the files that could not become twins of others: the first of them
 * changed or could not be read, or they changed themselves since they were hashed.
 */
export async function transferAll(
  run: TransferInput,
  plan: UploadPlan,
  pool: PackPool,
  { onAllPacked, ...hooks }: TransferHooks,
): Promise<void> {
  const { packing, ledger, emit } = run;
  let planned: FilesAndBytes = plan.pending;
  const sent = new SentMeter((event) => {
    emit(event);
    run.resume.journal?.sent({ files: event.items, bytes: event.bytes }, planned);
  });
  const isOneRound = packing.dedup !== true;
  const first = { ...hooks, ...(isOneRound && onAllPacked !== undefined ? { onAllPacked } : {}) };
  await transfer(run, { plan, pool, sent }, first);
  const pending = isOneRound ? undefined : pendingTotals(ledger.table);
  if (pending === undefined || pending.entries === 0) return;
  emit({
    type: 'note',
    text: `packed now, because of changes since the comparison: ${counted(pending.entries, 'file')}`,
  });
  planned = pending;
  const further = new PackPool(packing.workers);
  try {
    await transfer(run, { plan: planUpload(run, pending), pool: further, sent }, hooks);
  } finally {
    await further.close();
  }
}

interface Round {
  readonly plan: UploadPlan;
  readonly pool: PackPool;
  readonly sent: SentMeter;
}

async function transfer(run: TransferInput, { plan, pool, sent }: Round, hooks: TransferHooks): Promise<void> {
  const { ledger, sender, emit } = run;
  const { journal } = run.resume;
  const chunks = plan.lanes.flat().length;
  ledger.expect(chunks, plannedObjects(plan.lanes) - chunks);
  const noted = journal?.planned(journalPlan(run, plan)); // never rejects
  emit({ type: 'phase', phase: 'transferring' });
  pool.open(run.scanned.table, packSettings(run, plan.chunkBytes));
  const { store, retries } = run;
  const { kmsKeyId } = run.encryption;
  const target = { store, folder: uploadFolder(run.uploadId), kmsKeyId, retention: run.retention, retries };
  /** Records of packed chunks; undefined for a chunk that need not be sent. */
  const records = new Map<ChunkTask, ChunkRecord | undefined>();
  sent.begin();
  const stored = new StoredFiles(ledger.table);
  const report = (): void => {
    const { files, bytes, current } = pool.progress();
    emit({ type: 'progress', items: files, bytes, path: displayPath(ledger.table.path(current)) });
    // Also reports what came since the meter's last report when nothing is sent any more.
    sent.finish();
  };
  const timer = setInterval(report, 100);
  try {
    await runPipeline({
      lanes: plan.lanes,
      begun: plan.begun,
      source: hooks.source,
      feed: run.objects?.feed(plan.lanes, ledger.table),
      pool,
      policy: plan.policy,
      bufferBytes: plan.memory.outputBytes(plan.chunkBytes),
      maxBuffers: plan.memory.buffers(plan.chunkBytes),
      helpBuffers: Math.ceil(plan.memory.helpBytes / plan.memory.outputBytes(plan.chunkBytes)),
      now: () => performance.now(),
      onStart: ({ chunk, shard, rawBytes }) =>
        emit({ type: 'chunk', state: 'started', chunk, shard, rawBytes, storedBytes: 0 }),
      onPacked: (task, packed) => {
        records.set(task, ledger.add(task, packed, hooks.withoutEmptyChunks));
        reportSkips(packed.skipped, run);
        const { chunk, shard, bytes: rawBytes } = task;
        emit({ type: 'chunk', state: 'packed', chunk, shard, rawBytes, storedBytes: packed.size });
        if (ledger.isComplete) hooks.onAllPacked?.(plan);
        else hooks.manifest?.advance((index) => ledger.isFinal(index));
      },
      send: async (task, packed, signal) => {
        const record = records.get(task);
        records.delete(task);
        const { chunk, shard } = task;
        const { bytes } = packed;
        let outcome = { durationMs: 0, troubled: false };
        const storedBytes = packed.size + packed.objects.reduce((sum, { record: { size } }) => sum + size, 0);
        const meter = sent.chunk(bytes, storedBytes);
        if (record !== undefined) {
          await noted;
          outcome = await sender.send(target, record, packed, { signal, onSent: meter.onSent });
        }
        const files = stored.add(task);
        if (record !== undefined) journal?.acknowledged(acknowledgedChunk(run, task, record, packed), files, bytes);
        meter.finish(files);
        const packedBytes = packed.rawSize + packed.objects.reduce((sum, { record }) => sum + record.rawSize, 0);
        emit({ type: 'chunk', state: 'finished', chunk, shard, rawBytes: bytes, packedBytes, storedBytes });
        return outcome;
      },
      signal: run.signal,
    });
  } finally {
    clearInterval(timer);
  }
  report();
}
