// The zstd codec. `zstd-napi` does the work; where its addon was not built and Node has zstd itself (22.15 and later),
// Node's. Frames carry their content size and a checksum.
import type { Codec } from './codec-type.js';
import { loadNapiCodec } from './napi-codec.js';
import { loadNodeCodec } from './node-codec.js';
import { noZstd } from './zstd-binding.js';

let loaded: Codec | undefined;

/** The codec of this machine. @throws unsupported with how to get one */
export function loadCodec(): Codec {
  loaded ??= loadNapiCodec() ?? loadNodeCodec();
  if (loaded === undefined) throw noZstd();
  return loaded;
}
