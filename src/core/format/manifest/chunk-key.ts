/**
 * The key of a chunk relative to the folder of its upload: `shard-03/chunk-000017.tar.zst`. A copy made by a balance has eight hex digits
 * after the number. Groups: shard, `chunk-000017`, number.
 */
export const CHUNK_KEY = /^shard-(\d{2,})\/(chunk-(\d{6,}))(?:-[0-9a-f]{8})?\.tar\.zst$/;

/** The folder of a shard, as in keys: `shard-03`. */
export const shardPrefix = (shard: number): string => `shard-${String(shard).padStart(2, '0')}`;
