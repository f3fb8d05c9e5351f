// Converts flags of commands that upload to options of the engine: filters, memory, the place.
import { readFileSync } from 'node:fs';
import type { Cancellation, Clock, MemoryLimit, Origins, Places } from '../../cli/context.js';
import { createFilter, readPatternFile } from '../../core/archive/scan/filter.js';
import { folderTags } from '../../core/archive/scan/folder-tags.js';
import type { FilterOptions } from '../../core/archive/scan/filter-options.js';
import type { ArchiveOptions } from '../../core/archive/run/settings.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { joinStoreUrl, splitUploadUrl } from '../../core/store/store-url.js';
import { rawFromBytes } from '../../core/platform/paths/raw-path.js';
import { memoryLimit } from '../kit/memory-limit.js';
import { isGiven } from '../kit/run.js';
import { pathList, type PathListContext, type PathListValues } from '../kit/path-list.js';

/** Returns the clock, signal and home folder for the engine. */
export const engineEnvironment = (
  context: Clock & Cancellation & Pick<Places, 'home'>,
): Pick<ArchiveOptions, 'now' | 'signal' | 'home'> => ({
  now: context.now,
  signal: context.signal,
  home: context.home,
});

/** Returns the memory limit in bytes. @throws usage when --memory-limit is too small to work in */
export const uploadMemoryLimit = (context: MemoryLimit): number | undefined => memoryLimit(context, 'an upload');

/** Returns whether to deduplicate; undefined, when not set anywhere, keeps what the dataset had before. */
export const dedupOption = (values: { readonly enableDedup: boolean }, context: Origins): boolean | undefined =>
  isGiven(context, 'enableDedup') ? values.enableDedup : undefined;

export interface FilterValues extends PathListValues {
  readonly exclude: readonly string[];
  readonly include: readonly string[];
  readonly excludeFile: string | undefined;
  readonly excludeCaches: boolean;
  readonly excludeIfPresent: readonly string[];
  readonly regex: readonly string[];
  readonly largerThan: number | undefined;
  readonly smallerThan: number | undefined;
  readonly excludeLargerThan: number | undefined;
  readonly oneFileSystem: boolean;
  /** Undefined in a program that knows nothing of DVC. */
  readonly dvcCache?: boolean | undefined;
}

/** Converts the filter flags to options. @throws usage for what cannot be used */
export async function filterOptions(
  values: FilterValues,
  skipTrees: FilterOptions['skipTrees'],
  context: PathListContext,
): Promise<FilterOptions> {
  const { exclude, include, excludeFile, excludeCaches, excludeIfPresent, oneFileSystem, dvcCache } = values;
  const excludeLines =
    excludeFile === undefined ? [] : readPatternFile(excludeFile, (path) => rawFromBytes(readFileSync(path)));
  const options: FilterOptions = {
    exclude,
    include,
    excludeLines,
    excludeCaches,
    excludeIfPresent,
    regexes: values.regex,
    largerThanBytes: values.largerThan,
    smallerThanBytes: values.smallerThan,
    excludeLargerThanBytes: values.excludeLargerThan,
    listed: await pathList(values, context),
    oneFileSystem,
    dvc: dvcCache === true ? 'whole' : 'workspace',
    skipTrees,
  };
  createFilter(options); // refuses what cannot be used before anything begins
  folderTags(options);
  return options;
}

/** Returns the place above `uploads/`. @throws usage for the URL of an upload */
export function baseUrlOf(url: string): string {
  if (splitUploadUrl(url) !== undefined) {
    throw usageError(`${url} is an upload; name the place above uploads/ that new uploads go to`);
  }
  return joinStoreUrl(url);
}
