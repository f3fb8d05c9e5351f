// The servers that suites run on, and what each of them can do: what is said here is what suites expect, whatever the program finds.
import type { S3Client } from '@aws-sdk/client-s3';
import { noCeph, startCeph } from './ceph.js';
import { noGarage, startGarage } from './garage.js';
import { startConflicting, startDropping, startNotImplemented } from './in-process.js';
import { noMinio, startMinio } from './minio.js';
import { noMoto, startMoto } from './moto.js';
import { beginUnfinished, createsOnce, noRclone, startRclone } from './rclone.js';
import type { S3Server } from './s3-server.js';
import { noS3sFs, startS3sFs } from './s3s-fs.js';

export const ABILITIES = {
  createOnce: 'creates a key only once, also in a race',
  versions: 'keeps older versions of objects',
  locks: 'has Object Lock',
  lifecycle: 'takes lifecycle rules, and keeps them as they were written',
  coldRules: 'takes lifecycle rules to cold classes, and has these',
  unfinished: 'lists unfinished uploads',
  exactKeys: 'stores every key as it was given',
  access: 'is asked who may get at a bucket',
} as const;

export type Ability = keyof typeof ABILITIES;

export interface KnownServer {
  /** How flags name it. */
  readonly id: string;
  /** How tables name it. */
  readonly name: string;
  /** Asked when it can be started. */
  readonly abilities: () => readonly Ability[];
  /** Scenarios of the stores suite that do not hold there for a fault of the server, and what that is. */
  readonly faults?: Readonly<Record<string, string>>;
  /** What a bucket needs before the server does there what it can. */
  readonly prepareBucket?: (client: S3Client, bucket: string) => Promise<void>;
  /** Why it cannot be started here. */
  readonly lacking: () => string | undefined;
  /** Undefined for a folder, which nothing serves. */
  readonly start: (() => Promise<S3Server>) | undefined;
}

const EVERYTHING = Object.keys(ABILITIES) as readonly Ability[];
const nothing = (): undefined => undefined;
/** What the S3 server of the test tree can do, but for conditions. */
const IN_PROCESS: readonly Ability[] = ['lifecycle', 'coldRules', 'unfinished', 'exactKeys'];

export const KNOWN_SERVERS: readonly KnownServer[] = [
  {
    id: 'ceph',
    name: 'Ceph',
    abilities: () => EVERYTHING,
    lacking: noCeph,
    start: startCeph,
  },
  {
    id: 'minio',
    name: 'MinIO',
    abilities: () => EVERYTHING.filter((ability) => ability !== 'coldRules'),
    lacking: noMinio,
    start: startMinio,
  },
  {
    id: 'garage',
    name: 'Garage',
    abilities: () => ['lifecycle', 'unfinished', 'exactKeys'],
    lacking: noGarage,
    start: startGarage,
  },
  { id: 's3s-fs', name: 's3s-fs', abilities: () => [], lacking: noS3sFs, start: startS3sFs },
  {
    id: 'rclone',
    name: 'rclone',
    abilities: () => ['exactKeys', 'unfinished', ...(createsOnce() ? (['createOnce'] as const) : [])],
    prepareBucket: beginUnfinished,
    lacking: noRclone,
    start: startRclone,
  },
  {
    id: 'moto',
    name: 'moto',
    abilities: () => EVERYTHING,
    faults: { analyze: 'it lists no versions after a marker that is no key' },
    lacking: noMoto,
    start: startMoto,
  },
  { id: '501', name: '501 proxy', abilities: () => IN_PROCESS, lacking: nothing, start: startNotImplemented },
  { id: 'drops', name: 'dropping proxy', abilities: () => IN_PROCESS, lacking: nothing, start: startDropping },
  {
    id: '409',
    name: '409 proxy',
    abilities: () => ['createOnce', ...IN_PROCESS],
    lacking: nothing,
    start: startConflicting,
  },
  {
    id: 'folder',
    name: 'file://',
    abilities: () => ['createOnce', 'unfinished', 'exactKeys'],
    lacking: nothing,
    start: undefined,
  },
];
