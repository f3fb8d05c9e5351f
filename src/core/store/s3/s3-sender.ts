// Sends one SDK command: relative keys become full ones, failures become StoreErrors, and a bucket that turns out to be in another region
// is asked there, once. On AWS this is done only if nobody had named a region: the name of the host depends on it. Other servers are asked
// at the same address, with a signature for the region that they want.
import { setMaxListeners } from 'node:events';
import type { S3Client } from '@aws-sdk/client-s3';
import { StoreError } from '../store-error.js';
import { clockOffsetMs, type S3Connection } from './s3-client.js';
import { s3Error, statusOf } from './s3-errors.js';
import { objectName, type S3Call } from './s3-verdict.js';
import { isWithoutReason, refusalOf, regionInError, regionToSign } from './s3-region.js';
import { untilCancelled } from '../until-cancelled.js';

export interface Asked {
  readonly operation: string;
  readonly action: string;
  /** Relative key; absent for calls about the bucket or prefix. */
  readonly key?: string;
  /** True if the request is for one state of the object only: that it is gone is then a conflict. */
  readonly isConditional?: boolean;
  /** Storage class of the object that is written. */
  readonly storageClass?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Smaller corrections are no reason for a refusal. */
const SKEW_MS = 240_000;

export type SendOptions = { readonly abortSignal?: AbortSignal };

export class S3Sender {
  readonly bucket: string;
  readonly prefix: string;
  readonly isAws: boolean;
  readonly #connection: S3Connection;
  #client: S3Client;
  #region: string;
  #hasMoved = false;

  constructor(connection: S3Connection, bucket: string, prefix: string) {
    this.#connection = connection;
    this.#client = connection.client;
    this.#region = connection.region;
    this.bucket = bucket;
    this.prefix = prefix;
    this.isAws = connection.endpoint === undefined;
  }

  /** Region that requests are signed for now. */
  get region(): string {
    return this.#region;
  }

  /** Returns the key in the bucket of a key relative to the base. */
  fullKey(key: string): string {
    return this.prefix === '' ? key : `${this.prefix}/${key}`;
  }

  /** Returns the key relative to the base of a key in the bucket. */
  relativeKey(fullKey: string): string {
    return this.prefix === '' ? fullKey : fullKey.slice(this.prefix.length + 1);
  }

  /** Returns `s3://bucket/prefix/key` for messages. */
  nameOf(key: string): string {
    return objectName({ bucket: this.bucket, key: this.fullKey(key) });
  }

  /** Sends a request. @throws StoreError, or `cancelled` when the signal fired */
  async send<T>(asked: Asked, request: (client: S3Client, options: SendOptions) => Promise<T>): Promise<T> {
    // Each request adds several listeners, and many run at a time, which is no leak.
    if (asked.signal) setMaxListeners(0, asked.signal);
    const options = asked.signal ? { abortSignal: asked.signal } : {};
    const client = this.#client;
    const offsetMs = clockOffsetMs(client);
    try {
      return await untilCancelled(request(client, options), asked.signal);
    } catch (error) {
      // The answer has set the clock that requests are signed with: a refusal means something only afterwards.
      const isClockSet = statusOf(error) === 403 && Math.abs(clockOffsetMs(client) - offsetMs) >= SKEW_MS;
      const told = isClockSet ? undefined : await this.#withReason(error, asked);
      if (!isClockSet && !this.#moveTo(told, client)) throw this.error(error, asked);
    }
    try {
      return await untilCancelled(request(this.#client, options), asked.signal);
    } catch (error) {
      throw this.error(error, asked);
    }
  }

  /** Converts a failure of this call into an error that names it. */
  error(error: unknown, asked: Asked): Error {
    return s3Error(error, this.call(asked));
  }

  /** Makes the error for an answer that does not make sense. */
  complaint(asked: Asked, text: string): StoreError {
    const call = this.call(asked);
    return new StoreError('store', `${call.operation} ${objectName(call)}: ${text}`, {
      retriable: true,
      reason: 'BadAnswer',
    });
  }

  call({ operation, action, key, isConditional, storageClass }: Asked): S3Call {
    const { endpoint } = this.#connection;
    const about = key === undefined ? this.prefix : this.fullKey(key);
    return {
      operation,
      action,
      bucket: this.bucket,
      endpoint,
      region: this.#region,
      isConditional,
      storageClass,
      ...(about === '' ? {} : { key: about }),
    };
  }

  /** Returns the failure, or one of the same cause that gives a reason. */
  async #withReason(error: unknown, { operation, signal }: Asked): Promise<unknown> {
    if (this.isAws || this.#hasMoved || operation !== 'HeadBucket' || !isWithoutReason(error)) return error;
    return await untilCancelled(refusalOf(this.#client, this.bucket, signal), signal);
  }

  // The region named by the server replaces a wrong one, once; the address still comes from the SDK's own endpoint rules,
  // so credentials go to AWS only, or to the endpoint that was given, never to a host named in an answer.
  #moveTo(error: unknown, client: S3Client): boolean {
    const region = this.isAws ? regionInError(error) : regionToSign(error);
    if (region === undefined) return false;
    // Another request has changed the region meanwhile.
    if (client !== this.#client) return region === this.#region;
    if (this.#hasMoved || region === this.#region || (this.isAws && this.#connection.isRegionGiven)) return false;
    this.#hasMoved = true;
    this.#region = region;
    this.#client = this.#connection.inRegion(region);
    return true;
  }
}
