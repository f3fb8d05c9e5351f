// The addon of `zstd-napi`, which is compiled during installation and may be missing.
import { createRequire } from 'node:module';

export type Binding = typeof import('zstd-napi/binding.js');

/** The command that installs the addon. */
export const GET_ADDON = 'npm install -g zstd-archiver --allow-scripts=zstd-napi (with a C++ compiler)';

/** Returns the addon, or undefined when it cannot be loaded. */
export function loadBinding(
  load: () => unknown = () => createRequire(import.meta.url)('zstd-napi/binding'),
): Binding | undefined {
  try {
    return load() as Binding;
  } catch {
    return undefined;
  }
}
