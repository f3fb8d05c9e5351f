// The addon of `zstd-napi`, which is compiled where archiver is installed and may be missing.
import { createRequire } from 'node:module';
import { ArchiverError, errorText } from '../failures/errors.js';

export type Binding = typeof import('zstd-napi/binding.js');

let failure: unknown;

/** The addon, or undefined where it cannot be loaded: the caller tries Node's own zstd. */
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

/** Neither the addon nor Node has zstd: what kept the addon from being loaded, and how to get one. */
export function noZstd(): ArchiverError {
  const [reason = ''] = errorText(failure).split('\n'); // Node adds where it was required from
  return new ArchiverError('unsupported', `no zstd: the addon cannot be loaded (${reason}), and this Node has none`, {
    hint: 'allow its install script and build it with `npm rebuild zstd-napi`, or use Node 22.15 or later',
    cause: failure,
  });
}
