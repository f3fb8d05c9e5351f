// Words for each long operation, as data: a new one is a line here, and every display knows it. The name of an operation is its label too:
// log lines and JSON objects use `dvc status`.
import type { Operation, Phase } from '../core/events/events.js';

/** The unit that an operation counts. */
export type Unit = 'file' | 'block' | 'object' | 'entry' | 'chunk' | 'version' | 'writer';

export interface PhaseKind {
  /** The activity, for people: "writing the manifest". */
  readonly doing: string;
  /** The unit in this phase, when it differs from that of the operation. */
  readonly unit?: Unit;
  /** The verb for the counted bytes in this phase, when it differs from that of the operation. */
  readonly raw?: string;
}

export interface OperationKind {
  /** "Uploading", before the names of its source and target. */
  readonly doing: string;
  /** "Uploaded", before its result. */
  readonly done: string;
  /** "Upload", before "stopped" and "failed". */
  readonly noun: string;
  readonly unit: Unit;
  /** Verbs for the bytes that are counted while it runs; absent when none are. */
  readonly moves?: {
    /** Verb for source bytes (upload) or bytes on this computer (restore): "read", "written". */
    readonly raw: string;
    /** Verb for the bytes in the store: "sent", "fetched". */
    readonly stored?: string;
  };
  /** Set when the bar shows the bytes sent to the store instead of those read. */
  readonly isSending?: boolean;
  readonly phases: Partial<Record<Phase, PhaseKind>>;
  /** Says what Ctrl+C does, long and short; every word of it has to be true. */
  readonly interrupt: readonly [long: string, short: string];
  /** The activity after Ctrl+C, when it is more than stopping. */
  readonly stopping?: string;
  /** Says what is left after an interruption; `target` is safe to show. */
  readonly kept: (target: string) => string;
  /** Replaces `kept` once the commit has begun. */
  readonly keptInCommit?: string;
}

const SCANNING: PhaseKind = { doing: 'scanning' };
const READING: PhaseKind = { doing: 'reading the manifest', unit: 'entry', raw: 'read' };
const COMMITTING: PhaseKind = { doing: 'writing the manifest' };
const FINISHING: PhaseKind = { doing: 'finishing' };

const INTERRUPT: OperationKind['interrupt'] = [
  'ctrl+c finishes chunks in flight and saves state for `archiver resume`',
  'ctrl+c stops; `archiver resume` goes on',
];

const SENDING = {
  unit: 'file',
  moves: { raw: 'read', stored: 'sent' },
  isSending: true,
  phases: {
    scanning: SCANNING,
    transferring: { doing: 'sending' },
    committing: COMMITTING,
    finishing: FINISHING,
  },
  stopping: 'stopping; chunks in flight have 5 s to arrive',
  kept: () => 'committed uploads are untouched; this one was not committed',
  keptInCommit: 'committed uploads are untouched; this one may have been committed: archiver list shows it',
} as const;

const stopsAndKeeps = (what: string): OperationKind['interrupt'] => [
  `ctrl+c stops here; files that are already ${what} stay`,
  `ctrl+c stops; ${what} files stay`,
];

const stopsWithout = (what: string): OperationKind['interrupt'] => [
  `ctrl+c stops here; ${what}`,
  `ctrl+c stops; ${what}`,
];

const FETCHING = {
  unit: 'file',
  moves: { raw: 'written', stored: 'fetched' },
  phases: { transferring: { doing: 'fetching' }, finishing: FINISHING },
  kept: (target: string) => `files already written stay in ${target}`,
} as const;

/** The words and properties of each operation. */
export const OPERATIONS: Readonly<Record<Operation, OperationKind>> = {
  upload: {
    ...SENDING,
    doing: 'Uploading',
    done: 'Uploaded',
    noun: 'Upload',
    phases: {
      ...SENDING.phases,
      comparing: { doing: 'reading back from the store' },
      deleting: { doing: 'removing the source' },
    },
    interrupt: INTERRUPT,
  },
  sync: {
    ...SENDING,
    doing: 'Syncing',
    done: 'Synced',
    noun: 'Sync',
    interrupt: INTERRUPT,
  },
  plan: {
    doing: 'Planning',
    done: 'Planned',
    noun: 'Plan',
    unit: 'file',
    phases: { scanning: SCANNING, committing: { doing: 'writing the plan' } },
    interrupt: stopsWithout('there is no plan then'),
    kept: () => 'there is no plan; nothing was sent',
  },
  work: {
    ...SENDING,
    doing: 'Working on',
    done: 'Worked on',
    noun: 'Work',
    phases: { ...SENDING.phases, scanning: { doing: 'looking at files' }, committing: { doing: 'writing the result' } },
    interrupt: stopsWithout('the part has no result then'),
    kept: () => 'the part has no result, unless another attempt has made one',
  },
  commit: {
    doing: 'Committing',
    done: 'Committed',
    noun: 'Commit',
    unit: 'object',
    phases: { listing: { doing: 'looking at the results' }, committing: COMMITTING },
    interrupt: stopsWithout('parts keep their results'),
    kept: () => 'parts keep their results; run it again',
  },
  migrate: {
    ...SENDING,
    doing: 'Migrating',
    done: 'Migrated',
    noun: 'Migration',
    phases: { ...SENDING.phases, scanning: { doing: 'unpacking the archive' }, finishing: { doing: 'validating' } },
    interrupt: [
      'ctrl+c stops; what was sent is deleted, the archive stays as it is',
      'ctrl+c stops; the archive stays as it is',
    ],
  },
  copy: {
    doing: 'Copying',
    done: 'Copied',
    noun: 'Copy',
    unit: 'object',
    moves: { raw: 'copied' },
    phases: {
      listing: { doing: 'reading version records', unit: 'version' },
      reading: { doing: 'reading manifests', unit: 'version' },
      copying: { doing: 'copying objects' },
    },
    interrupt: stopsWithout('what was copied stays, and the same command goes on'),
    kept: (target) => `what was copied stays in ${target}; run it again to copy the rest`,
  },
  restore: {
    ...FETCHING,
    doing: 'Restoring',
    done: 'Restored',
    noun: 'Restore',
    interrupt: stopsAndKeeps('restored'),
  },
  download: {
    ...FETCHING,
    doing: 'Downloading',
    done: 'Downloaded',
    noun: 'Download',
    interrupt: stopsAndKeeps('downloaded'),
  },
  verify: {
    doing: 'Verifying',
    done: 'Verified',
    noun: 'Verify',
    unit: 'file',
    moves: { raw: 'checked', stored: 'fetched' },
    phases: { scanning: { doing: 'checking the manifest' }, transferring: { doing: 'reading chunks' } },
    interrupt: stopsWithout('verify changes nothing'),
    kept: () => 'verify changes nothing',
  },
  drill: {
    doing: 'Drilling',
    done: 'Drilled',
    noun: 'Drill',
    unit: 'file',
    moves: { raw: 'restored', stored: 'fetched' },
    phases: {
      scanning: { doing: 'choosing files' },
      transferring: { doing: 'restoring' },
      comparing: { doing: 'comparing', raw: 'compared' },
      finishing: FINISHING,
    },
    interrupt: stopsWithout('what it restored is removed, and nothing is recorded'),
    kept: () => 'what was restored is removed; nothing was recorded',
  },
  prune: {
    doing: 'Pruning',
    done: 'Pruned',
    noun: 'Prune',
    unit: 'object',
    phases: {
      listing: { doing: 'listing objects' },
      reading: { doing: 'reading versions', unit: 'version' },
      rebuilding: { doing: 'making full listings', unit: 'version' },
      deleting: { doing: 'deleting objects' },
    },
    interrupt: stopsWithout('versions that are kept lose nothing'),
    kept: () => 'nothing of versions that are kept was deleted; run it again to remove the rest',
  },
  balance: {
    doing: 'Balancing',
    done: 'Balanced',
    noun: 'Balance',
    unit: 'chunk',
    moves: { raw: 'copied' },
    phases: {
      reading: { doing: 'reading the manifest' },
      copying: { doing: 'copying chunks' },
      committing: COMMITTING,
    },
    interrupt: stopsWithout('the upload stays as it is'),
    kept: () => 'the upload is as it was, or balanced; run it again to go on',
  },
  repair: {
    doing: 'Repairing',
    done: 'Repaired',
    noun: 'Repair',
    unit: 'chunk',
    moves: { raw: 'read' },
    phases: {
      listing: { doing: 'reading tables of contents' },
      reading: { doing: 'reading chunks' },
      committing: COMMITTING,
    },
    interrupt: stopsWithout('what is not repaired yet stays as it is'),
    kept: () => 'what is not repaired yet is as it was; run it again to go on',
  },
  scuttle: {
    doing: 'Deleting',
    done: 'Deleted',
    noun: 'Scuttle',
    unit: 'object',
    phases: { listing: { doing: 'listing what is there' }, deleting: { doing: 'deleting' } },
    interrupt: stopsWithout('what is deleted is gone'),
    kept: () => 'what was deleted is gone; run it again to delete the rest',
  },
  load: {
    doing: 'Opening',
    done: 'Opened',
    noun: 'Opening',
    unit: 'entry',
    moves: { raw: 'read' },
    phases: {
      listing: { doing: 'reading version records', unit: 'version' },
      reading: READING,
      comparing: { doing: 'comparing' },
    },
    interrupt: stopsWithout('nothing is changed'),
    kept: () => 'nothing was changed',
  },
  'dvc status': {
    doing: 'Comparing',
    done: 'Compared',
    noun: 'Comparison',
    unit: 'file',
    moves: { raw: 'compared' },
    phases: { reading: READING, comparing: { doing: 'comparing' } },
    interrupt: stopsWithout('nothing is changed'),
    kept: () => 'nothing was changed',
  },
  'dvc export': {
    doing: 'Exporting',
    done: 'Exported',
    noun: 'Export',
    unit: 'file',
    phases: {
      reading: READING,
      transferring: { doing: 'writing .dvc files' },
    },
    interrupt: stopsAndKeeps('written'),
    kept: (target) => `files already written stay in ${target}`,
  },
  estimate: {
    doing: 'Estimating',
    done: 'Estimated',
    noun: 'Estimate',
    unit: 'file',
    moves: { raw: 'sampled' },
    phases: { scanning: SCANNING, reading: { doing: 'sampling how well it compresses' } },
    interrupt: stopsWithout('nothing is changed'),
    kept: () => 'nothing was changed',
  },
  benchmark: {
    doing: 'Compressing',
    done: 'Compressed',
    noun: 'Benchmark',
    unit: 'block',
    moves: { raw: 'compressed' },
    phases: { comparing: { doing: 'comparing compressors' } },
    interrupt: stopsWithout('nothing is changed'),
    kept: () => 'nothing was changed',
  },
  'fleet status': {
    doing: 'Looking at',
    done: 'Looked at',
    noun: 'Look',
    unit: 'writer',
    phases: { listing: { doing: 'listing writers' }, reading: { doing: 'reading heartbeats' } },
    interrupt: stopsWithout('nothing is changed'),
    kept: () => 'nothing was changed',
  },
  analyze: {
    doing: 'Analyzing',
    done: 'Analyzed',
    noun: 'Analysis',
    unit: 'object',
    moves: { raw: 'found' },
    phases: { listing: { doing: 'listing objects' } },
    interrupt: stopsWithout('nothing is changed'),
    kept: () => 'nothing was changed',
  },
  'analyze folder': {
    doing: 'Analyzing',
    done: 'Analyzed',
    noun: 'Analysis',
    unit: 'file',
    moves: { raw: 'found' },
    phases: { scanning: SCANNING },
    interrupt: stopsWithout('nothing is changed'),
    kept: () => 'nothing was changed',
  },
  'lock-extend': {
    doing: 'Locking',
    done: 'Locked',
    noun: 'Lock extension',
    unit: 'object',
    phases: {
      listing: { doing: 'listing versions' },
      reading: { doing: 'reading manifests', unit: 'version' },
      comparing: { doing: 'looking at locks' },
      committing: { doing: 'extending locks' },
    },
    interrupt: stopsWithout('what is locked by then stays locked'),
    kept: () => 'what was locked by then stays locked; run it again for the rest',
  },
};

const PLURALS: Partial<Record<Unit, string>> = { entry: 'entries' };

/** "1 entry", "13 290 files"; `write` formats the count. */
export const countText = (count: number, unit: Unit, write: (count: number) => string): string =>
  `${write(count)} ${count === 1 ? unit : pluralOf(unit)}`;

/** The plural: `files`, `entries`. */
const pluralOf = (unit: Unit): string => PLURALS[unit] ?? `${unit}s`;
