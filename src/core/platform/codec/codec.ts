// Chooses the zstd codec: the addon `zstd-napi`; if it was not built, Node's own zstd (22.15 and later); otherwise WebAssembly. Frames
// contain their content size and a checksum.
import { ArchiverError } from '../failures/errors.js';
import type { Codec } from './codec-type.js';
import { loadNapiCodec } from './napi-codec.js';
import { loadNodeCodec } from './node-codec.js';

let codec: Codec | undefined;

const nativeCodec = (): Codec | undefined => (codec ??= loadNapiCodec() ?? loadNodeCodec());

/** Loads the codec of this machine: to be awaited before a thread calls `loadCodec`, as loading WebAssembly takes a moment. */
export async function readyCodec(): Promise<void> {
  if (nativeCodec() === undefined) codec = await (await import('./wasm-codec.js')).loadWasmCodec();
}

/** Returns the codec of this machine. @throws internal where it is WebAssembly and nobody has awaited `readyCodec` */
export function loadCodec(): Codec {
  const loaded = nativeCodec();
  if (loaded === undefined) throw new ArchiverError('internal', 'zstd is used before its WebAssembly is loaded');
  return loaded;
}
