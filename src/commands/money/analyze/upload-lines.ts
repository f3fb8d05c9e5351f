// The upload lines of one call: for what is hottest, and for what is marked on the screen.
import { resolve } from 'node:path';
import type { Named, Origins, Places } from '../../../cli/context.js';
import { placeUrlOf } from '../../../cli/named-stores.js';
import type { PriceList } from '../../../core/cost/price-table.js';
import { cheapestOf, keptInClasses } from '../../../core/money/analyze/folder/kept-in-classes.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import { printable, type RawPath } from '../../../core/platform/paths/raw-path.js';
import { storeUrlOf } from '../../../core/store/store-url.js';
import { FILTER_KEYS } from './folder-flags.js';
import { flagWords, NO_STORE, uploadLine } from './upload-line.js';

/** Values of the flags that a line depends on, those of the filters among them. */
export interface LineValues {
  readonly uploadTo: string | undefined;
  readonly storageClass: string | undefined;
  readonly excludeFile: string | undefined;
}

/** Makes upload lines with what the flags say. */
export class UploadLines {
  hasLeftOut = false;
  private readonly store: string;
  private readonly isFolder: boolean;
  private readonly filters: readonly string[];

  /** @throws usage for a store that is none */
  constructor(
    private readonly root: RawPath,
    private readonly values: LineValues,
    context: Named & Origins & Pick<Places, 'cwd'>,
  ) {
    const { uploadTo } = values;
    const { stores, cwd, origins } = context;
    const url = uploadTo === undefined ? undefined : placeUrlOf(uploadTo, { stores, cwd });
    if (uploadTo !== undefined && url === undefined)
      throw usageError(
        `--upload-to wants a store URL, a path that begins with / or ./, or NAME: of the config file, got "${printable(uploadTo)}"`,
      );
    this.isFolder = url?.startsWith('file:') === true;
    // A path is written so that it holds in any folder, and a name as it is: what else the config file says of the store holds for it.
    this.store = uploadTo === undefined ? NO_STORE : (storeUrlOf(uploadTo, cwd) ?? uploadTo);
    const own = Object.fromEntries(FILTER_KEYS.map((key) => [key, values[key as keyof LineValues]]));
    if (values.excludeFile !== undefined) own['excludeFile'] = resolve(cwd, values.excludeFile);
    this.filters = flagWords(own, (key) => origins[key] === 'flag');
  }

  /** Returns the line that uploads these, which are so many bytes; undefined if there is nothing, or it cannot be written. */
  of(paths: readonly RawPath[], bytes: number, prices: PriceList): string | undefined {
    const { root, filters, hasLeftOut, store } = this;
    const storageClass = this.isFolder
      ? undefined
      : (this.values.storageClass ?? cheapestOf(keptInClasses(bytes, prices))?.storageClass);
    return uploadLine(paths, { root, filters, hasLeftOut, store, storageClass });
  }
}
