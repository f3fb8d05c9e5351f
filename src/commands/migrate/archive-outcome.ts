// What became of one of many archives.
import type { InspectedArchive } from '../../core/mend/migrate/inspect-archive.js';
import type { KnownMigration } from '../../core/mend/migrate/known-migration.js';
import type { MigrateResult } from '../../core/mend/migrate/migrate-options.js';

type State =
  | { readonly status: 'migrated'; readonly result: MigrateResult }
  /** Of a dry run. */
  | { readonly status: 'planned'; readonly inspected: InspectedArchive; readonly version: number }
  | {
      readonly status: 'passedOver';
      readonly known: KnownMigration;
      readonly originalDeleted: boolean;
      readonly originalKept?: string;
    }
  | { readonly status: 'failed' | 'notBegun'; readonly reason: string };

export type ArchiveOutcome = State & { readonly url: string };

/** True if something of the archive is not as it was asked for, and the user has to look. */
export function isLacking(outcome: ArchiveOutcome): boolean {
  switch (outcome.status) {
    case 'migrated':
      return outcome.result.partial;
    case 'planned':
      return outcome.inspected.skipped.some(({ isSpecial }) => !isSpecial);
    case 'passedOver':
      return outcome.known.isPartial || outcome.originalKept !== undefined;
    case 'failed':
    case 'notBegun':
      return true;
    default:
      return outcome satisfies never;
  }
}
