// Servers that people run themselves. An address alone does not tell which of them answers there.
import type { Provider } from './provider.js';
import { type ProviderFacts, UNKNOWN } from './provider-facts.js';

const CEPH: ProviderFacts = {
  ...UNKNOWN,
  name: 'Ceph',
  usualAddress: 'http://localhost:7480',
  addressing: 'both',
  versions: true,
  locks: true,
  endsUploads: true,
  policies: 'ceph',
  anchor: 'ceph',
};

const MINIO: ProviderFacts = {
  ...UNKNOWN,
  name: 'MinIO',
  usualAddress: 'http://localhost:9000',
  defaultRegion: 'us-east-1',
  regions: ['us-east-1'],
  addressing: 'both',
  classes: ['STANDARD'],
  versions: true,
  locks: true,
  endsUploads: false,
  policies: 'minio',
  anchor: 'minio',
};

const GARAGE: ProviderFacts = {
  ...UNKNOWN,
  name: 'Garage',
  usualAddress: 'http://localhost:3900',
  defaultRegion: 'garage',
  regions: ['garage'],
  addressing: 'both',
  classes: ['STANDARD'],
  versions: false,
  locks: false,
  endsUploads: true,
  policies: {
    none: 'Garage has no policies, and it replaces objects in spite of If-None-Match: a key that may write to a bucket may replace all of it',
  },
  anchor: 'garage',
};

const SEAWEEDFS: ProviderFacts = {
  ...UNKNOWN,
  name: 'SeaweedFS',
  usualAddress: 'http://localhost:8333',
  anchor: 'seaweedfs',
};

const RUSTFS: ProviderFacts = {
  ...UNKNOWN,
  name: 'RustFS',
  usualAddress: 'http://localhost:9000',
  versions: true,
  anchor: 'rustfs',
};

const VERSITYGW: ProviderFacts = {
  ...UNKNOWN,
  name: 'versitygw',
  usualAddress: 'http://localhost:7070',
  defaultRegion: 'us-east-1',
  regions: ['us-east-1'],
  endsUploads: false,
  policies: { none: 'versitygw has policies of buckets, which name its accounts, and none of users' },
  anchor: 'versitygw',
};

const RCLONE: ProviderFacts = {
  ...UNKNOWN,
  name: 'rclone serve s3',
  usualAddress: 'http://localhost:8080',
  addressing: 'both',
  versions: false,
  locks: false,
  endsUploads: false,
  policies: { none: 'a key of rclone serve s3 may do everything, and there are no policies' },
  anchor: 'rclone-serve-s3',
};

export const PROGRAMS = {
  ceph: CEPH,
  minio: MINIO,
  garage: GARAGE,
  seaweedfs: SEAWEEDFS,
  rustfs: RUSTFS,
  versitygw: VERSITYGW,
  rclone: RCLONE,
} as const satisfies Partial<Record<Provider, ProviderFacts>>;
