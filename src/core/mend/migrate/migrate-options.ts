import type { ArchiveOptions } from '../../archive/run/settings.js';
import type { EarlierKeys } from '../../archive/run/upload-encryption.js';
import type { UploadResult } from '../../archive/upload-result.js';
import type { EventSink } from '../../events/events.js';
import type { OpenedStore } from '../../store/open-store.js';
import type { ArchiveFormat } from './archive-format.js';

export interface MigrateOptions {
  readonly archive: {
    readonly opened: OpenedStore;
    readonly key: string;
    /** URL of the archive; identifies the dataset. */
    readonly url: string;
    /** Host on which that URL is valid: the host's name for a local file, '' elsewhere. */
    readonly owner: string;
  };
  readonly tempParent: string;
  readonly keepTemp: boolean;
  readonly validate: boolean;
  readonly deleteOriginal: boolean;
  /** Opens the destination. */
  readonly open: (onEvent: EventSink) => Promise<OpenedStore>;
  readonly upload: Pick<ArchiveOptions, 'now' | 'dataset' | 'packing' | 'layout' | 'labels' | 'uploadGate'>;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** Nothing was there before, nothing is deduplicated or sent directly, and a dry run is told by itself. */
type FullResult = Omit<
  UploadResult,
  'changes' | 'directFiles' | 'deduplicated' | 'planned' | 'destination' | keyof EarlierKeys
>;

export interface MigrateResult extends FullResult {
  readonly archive: string;
  readonly format: ArchiveFormat;
  readonly entries: number;
  readonly validated: boolean;
  readonly originalDeleted: boolean;
  /** Why the original was kept although it was to be deleted. */
  readonly originalKept?: string;
  /** Metadata that could not be kept, one sentence per kind. */
  readonly notKept: readonly string[];
  /** The folder with the extracted files, when it was kept or could not be removed. */
  readonly tempFolder?: string;
}
