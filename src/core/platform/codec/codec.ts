// The zstd codec: the addon `zstd-napi`; where it was not built, Node's own zstd (22.15 and later); else WebAssembly.
// Frames carry their content size and a checksum.
import type { Codec } from './codec-type.js';
import { loadNapiCodec } from './napi-codec.js';
import { loadNodeCodec } from './node-codec.js';
import { loadWasmCodec } from './wasm-codec.js';

// Here and not on the first call: the load of WebAssembly has to be waited for, and who calls cannot wait.
const codec: Codec = loadNapiCodec() ?? loadNodeCodec() ?? (await loadWasmCodec());

/** The codec of this machine. */
export const loadCodec = (): Codec => codec;
