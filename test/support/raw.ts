import { type RawPath, rawFromLatin1 } from '../../src/core/platform/paths/raw-path.js';

/** A byte string as tests write it: a character a byte. */
export const raw = (bytes: string): RawPath => rawFromLatin1(bytes);
