// Stores that are sold as a service.
import { STORAGE_CLASSES } from './storage-classes.js';
import type { Provider } from './provider.js';
import { type ProviderFacts, UNKNOWN } from './provider-facts.js';

const AWS: ProviderFacts = {
  ...UNKNOWN,
  name: 'AWS',
  otherHosts: [
    /(?:^|\.)s3(?:-[a-z]+)*\.(?:dualstack\.)?(?<region>[a-z]{2}(?:-[a-z]+)+-\d)\.(?:vpce\.)?amazonaws\.com(?:\.cn)?$/,
    /\.amazonaws\.com(?:\.cn)?$/,
  ],
  regions: ['us-east-1', 'eu-central-1'],
  addressing: 'both',
  prices: 'by-region',
  classes: STORAGE_CLASSES,
  versions: true,
  locks: true,
  endsUploads: true,
  policies: 'aws',
  anchor: 'aws',
};

const B2: ProviderFacts = {
  ...UNKNOWN,
  name: 'Backblaze B2',
  endpoint: 'https://s3.{region}.backblazeb2.com',
  regions: ['us-west-004', 'us-east-005', 'eu-central-003'],
  addressing: 'both',
  prices: 'one-list',
  classes: ['STANDARD'],
  versions: true,
  locks: true,
  endsUploads: true,
  policies: { none: 'Backblaze B2 has application keys with capabilities, and no policies of IAM' },
  anchor: 'backblaze-b2',
};

const WASABI: ProviderFacts = {
  ...UNKNOWN,
  name: 'Wasabi',
  endpoint: 'https://s3.{region}.wasabisys.com',
  // Its first region has the bare host, and several have short names, which are no regions.
  otherHosts: [/^s3(?:\.[a-z0-9-]+)?\.wasabisys\.com$/],
  regionPattern: '[a-z]{2}-[a-z]+-\\d',
  defaultRegion: 'us-east-1',
  regions: ['us-east-1', 'eu-central-1', 'ap-northeast-1'],
  addressing: 'both',
  prices: 'one-list',
  classes: ['STANDARD'],
  versions: true,
  locks: true,
  anchor: 'wasabi',
};

const R2: ProviderFacts = {
  ...UNKNOWN,
  name: 'Cloudflare R2',
  endpoint: 'https://{account}.r2.cloudflarestorage.com',
  account: 'account id',
  defaultRegion: 'auto',
  regions: ['auto'],
  classes: ['STANDARD', 'STANDARD_IA'],
  versions: false,
  locks: false,
  endsUploads: true,
  policies: { none: 'Cloudflare R2 has API tokens that are limited to buckets, and no policies of IAM' },
  anchor: 'cloudflare-r2',
};

const GCS: ProviderFacts = {
  ...UNKNOWN,
  name: 'Google Cloud Storage',
  endpoint: 'https://storage.googleapis.com',
  defaultRegion: 'auto',
  regions: ['auto'],
  policies: {
    none: 'the HMAC keys of Google Cloud Storage may do what the IAM of Google allows their service account, which is not written as policies of AWS',
  },
  anchor: 'google-cloud-storage',
};

const HETZNER: ProviderFacts = {
  ...UNKNOWN,
  name: 'Hetzner',
  endpoint: 'https://{region}.your-objectstorage.com',
  regions: ['fsn1', 'nbg1', 'hel1'],
  addressing: 'both',
  versions: true,
  locks: true,
  policies: {
    none: 'a key of Hetzner reaches all buckets of its project, and users with policies are not known there',
  },
  anchor: 'hetzner',
};

const OVH: ProviderFacts = {
  ...UNKNOWN,
  name: 'OVHcloud',
  endpoint: 'https://s3.{region}.io.cloud.ovh.net',
  otherHosts: [/^s3\.(?<region>[a-z0-9-]+)\.(?:io\.cloud\.ovh\.us|perf\.cloud\.ovh\.net)$/],
  regions: ['gra', 'rbx', 'de', 'eu-west-par'],
  addressing: 'both',
  classes: ['STANDARD', 'STANDARD_IA'],
  versions: true,
  locks: true,
  endsUploads: true,
  anchor: 'ovhcloud',
};

const SCALEWAY: ProviderFacts = {
  ...UNKNOWN,
  name: 'Scaleway',
  endpoint: 'https://s3.{region}.scw.cloud',
  regions: ['fr-par', 'nl-ams', 'pl-waw', 'it-mil'],
  classes: ['STANDARD', 'ONEZONE_IA', 'GLACIER'],
  versions: true,
  locks: true,
  endsUploads: true,
  policies: {
    none: 'Scaleway has an IAM of its own, and policies of buckets in a form of its own (Version 2023-04-17)',
  },
  anchor: 'scaleway',
};

const IDRIVE: ProviderFacts = {
  ...UNKNOWN,
  name: 'IDrive e2',
  otherHosts: [/\.idrivee2(?:-\d+)?\.com$/],
  versions: true,
  locks: true,
  policies: {
    none: 'IDrive e2 limits its access keys (to buckets, to uploads), and users with policies are not known there',
  },
  anchor: 'idrive-e2',
};

const STORJ: ProviderFacts = {
  ...UNKNOWN,
  name: 'Storj',
  endpoint: 'https://gateway.storjshare.io',
  otherHosts: [/^gateway\.[a-z0-9-]+\.storjshare\.io$/],
  versions: true,
  locks: true,
  endsUploads: false,
  policies: { none: 'Storj has access grants, and no policies' },
  anchor: 'storj',
};

const DIGITALOCEAN: ProviderFacts = {
  ...UNKNOWN,
  name: 'DigitalOcean Spaces',
  endpoint: 'https://{region}.digitaloceanspaces.com',
  regions: ['nyc3', 'ams3', 'fra1', 'sgp1'],
  addressing: 'both',
  classes: ['STANDARD'],
  versions: true,
  endsUploads: true,
  policies: { none: 'DigitalOcean limits its access keys to reading or writing buckets, and has no policies of users' },
  anchor: 'digitalocean-spaces',
};

const ORACLE: ProviderFacts = {
  ...UNKNOWN,
  name: 'Oracle OCI',
  endpoint: 'https://{account}.compat.objectstorage.{region}.oraclecloud.com',
  otherHosts: [/^[a-z0-9-]+\.compat\.objectstorage\.(?<region>[a-z0-9-]+)\.oci\.customer-oci\.com$/],
  account: 'namespace',
  regions: ['eu-frankfurt-1', 'us-phoenix-1'],
  policies: { none: 'Oracle writes its policies in a language of its own' },
  anchor: 'oracle-oci',
};

export const SERVICES = {
  aws: AWS,
  b2: B2,
  wasabi: WASABI,
  r2: R2,
  gcs: GCS,
  hetzner: HETZNER,
  ovh: OVH,
  scaleway: SCALEWAY,
  idrive: IDRIVE,
  storj: STORJ,
  digitalocean: DIGITALOCEAN,
  oracle: ORACLE,
} as const satisfies Partial<Record<Provider, ProviderFacts>>;
