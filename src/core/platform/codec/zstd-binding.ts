// The addon of `zstd-napi`, which is compiled where archiver is installed and may be missing.
import { createRequire } from 'node:module';

export type Binding = typeof import('zstd-napi/binding.js');

/** What a person types to get the addon. */
export const GET_ADDON = 'npm install -g zstd-archiver --allow-scripts=zstd-napi (with a C++ compiler)';

/** The addon, or undefined where it cannot be loaded. */
export function loadBinding(
  load: () => unknown = () => createRequire(import.meta.url)('zstd-napi/binding'),
): Binding | undefined {
  try {
    return load() as Binding;
  } catch {
    return undefined;
  }
}
