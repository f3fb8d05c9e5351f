// Chooses the zstd codec: the addon `zstd-napi`; if it was not built, Node's own zstd (22.15 and later); otherwise WebAssembly. Frames
// contain their content size and a checksum.
import type { Codec } from './codec-type.js';
import { loadNapiCodec } from './napi-codec.js';
import { loadNodeCodec } from './node-codec.js';
import { loadWasmCodec } from './wasm-codec.js';

// Loaded here rather than on the first call, because loading WebAssembly is asynchronous and callers are synchronous.
const codec: Codec = loadNapiCodec() ?? loadNodeCodec() ?? (await loadWasmCodec());

/** Returns the codec of this machine. */
export const loadCodec = (): Codec => codec;
