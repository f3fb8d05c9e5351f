/** Who charges for storage. `minio` and `custom` have no list: they cost what the config file says. */
export const PROVIDERS = ['aws', 'wasabi', 'b2', 'minio', 'custom'] as const;
export type Provider = (typeof PROVIDERS)[number];
