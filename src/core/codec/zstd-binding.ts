// The addon of `zstd-napi`, which is compiled where archiver is installed and may be missing.
import { createRequire } from 'node:module';
import { ArchiverError, errorText } from '../failures/errors.js';

export type Binding = typeof import('zstd-napi/binding.js');

/** What a person types to get the addon. */
export const GET_ADDON = 'npm install -g zstd-archiver --allow-scripts=zstd-napi (with a C++ compiler)';

let failure: unknown;

/** The addon, or undefined where it cannot be loaded. */
export function loadBinding(
  load: () => unknown = () => createRequire(import.meta.url)('zstd-napi/binding'),
): Binding | undefined {
  try {
    return load() as Binding;
  } catch (error) {
    failure = error;
    return undefined;
  }
}

/** Nothing here reads zstd whose size is not known: what kept the addon from being loaded, and how to get it. */
export function noZstdStreams(): ArchiverError {
  const [reason = ''] = errorText(failure).split('\n'); // Node adds where it was required from
  return new ArchiverError(
    'unsupported',
    `archives of other tools in zstd cannot be read: the addon cannot be loaded (${reason}), and this Node has no zstd`,
    { hint: `use Node 22.15 or later, or build the addon: ${GET_ADDON}`, cause: failure },
  );
}
