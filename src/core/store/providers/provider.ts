/** All providers: services, then programs that people run themselves, then any other server. */
export const PROVIDERS = [
  'aws',
  'b2',
  'wasabi',
  'r2',
  'gcs',
  'hetzner',
  'ovh',
  'scaleway',
  'idrive',
  'storj',
  'digitalocean',
  'oracle',
  'ceph',
  'minio',
  'garage',
  'seaweedfs',
  'rustfs',
  'versitygw',
  'rclone',
  'custom',
] as const;
export type Provider = (typeof PROVIDERS)[number];
