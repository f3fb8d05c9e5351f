import type { ProgressFormat } from '../../cli/progress.js';
import type { OverwritePolicy } from '../../core/restore/plan/overwrite.js';
import type { SelectorValues } from '../kit/selectors.js';
import type { StoreValues } from '../kit/store.js';
import type { TargetValues } from '../kit/upload-target.js';

/** Values of the flags of `restore` that an archive is made by. */
export interface ExportValues extends StoreValues, Omit<TargetValues, 'gitCommit'>, SelectorValues {
  readonly toTar: string | undefined;
  readonly toZip: string | undefined;
  readonly all: boolean;
  readonly cacheGb: number;
  readonly overwrite: OverwritePolicy;
  readonly workers: number;
  readonly flatten: boolean;
  readonly verify: boolean;
  readonly keepSpecialBits: boolean;
  readonly progressFormat: ProgressFormat | undefined;
}
