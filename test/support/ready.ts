// Loaded before each test file: what threads and the program await when they begin (src/core/format/chunk/when-ready.ts).
import { readySeededHash } from '../../src/core/format/chunk/seeded-hash.js';
import { readyCodec } from '../../src/core/platform/codec/codec.js';

await Promise.all([readyCodec(), readySeededHash()]);
