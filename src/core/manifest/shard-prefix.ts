/** `shard-03`, as in keys. */
export const shardPrefix = (shard: number): string => `shard-${String(shard).padStart(2, '0')}`;
