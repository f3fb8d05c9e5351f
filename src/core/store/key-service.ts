// What the engine asks of a key management service. The service keeps the master keys; it makes data keys, hands each out
// once in the clear and once wrapped, and opens a wrapped one for those who may.

/** Bound to a wrapped key: who asks for it to be opened has to say the same. In the order in which it is authenticated. */
export type KeyContext = Readonly<Record<string, string>>;

export interface WrappedKey {
  /** Names the master key for good: with KMS its ARN. */
  readonly kmsKeyId: string;
  readonly wrappedKey: Buffer;
}

/** Of a data key. */
export const KEY_BYTES = 32;

export interface DataKey extends WrappedKey {
  /** `KEY_BYTES` long. For one envelope and no more: its nonces are counted from zero. */
  readonly dataKey: Buffer;
}

export interface KeyService {
  /** A new data key under the master key of this id, ARN or alias. @throws access-denied, not-found, store */
  generate(keyId: string, context: KeyContext, signal?: AbortSignal): Promise<DataKey>;
  /** Opens a wrapped data key. @throws access-denied, integrity when it was wrapped otherwise, store */
  decrypt(wrapped: WrappedKey, context: KeyContext, signal?: AbortSignal): Promise<Buffer>;
}

/** A key as KMS describes it. */
export interface DescribedKey {
  readonly arn: string;
  /** `AWS` or `CUSTOMER`. */
  readonly manager: string | undefined;
  /** `Enabled`, `Disabled`, `PendingDeletion`, … */
  readonly state: string | undefined;
}

/** What is asked about a key, and never changed. */
export interface KeyInspection {
  /** The key of this id, ARN or alias. @throws access-denied, store */
  describe(keyId: string, signal?: AbortSignal): Promise<DescribedKey>;
  /** Its policy as JSON; no alias. @throws access-denied, store */
  policy(arn: string, signal?: AbortSignal): Promise<string>;
}
