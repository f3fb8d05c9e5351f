/** The layer that the value of a flag came from. */
export type Origin = 'flag' | 'environment' | 'config' | 'default';
