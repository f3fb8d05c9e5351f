// The key management service as the engine uses it. The service keeps the master keys; it makes data keys, hands each out once in the clear
// and once wrapped, and unwraps one for those who may.

/** Context bound to a wrapped key: the same must be given to open it. Authenticated in the order of its entries. */
export type KeyContext = Readonly<Record<string, string>>;

export interface WrappedKey {
  /** Permanent name of the master key: with KMS its ARN. */
  readonly kmsKeyId: string;
  readonly wrappedKey: Buffer;
}

/** Length of a data key in bytes. */
export const KEY_BYTES = 32;

export interface DataKey extends WrappedKey {
  /** `KEY_BYTES` long. For a single envelope only: its nonces are counted from zero. */
  readonly dataKey: Buffer;
}

export interface KeyService {
  /** Makes a data key under the master key of this id, ARN or alias. @throws access-denied, not-found, store */
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

/** Questions about a key; nothing is changed. */
export interface KeyInspection {
  /** Describes the key of this id, ARN or alias. @throws access-denied, store */
  describe(keyId: string, signal?: AbortSignal): Promise<DescribedKey>;
  /** Returns the policy of a key as JSON; an alias will not do. @throws access-denied, store */
  policy(arn: string, signal?: AbortSignal): Promise<string>;
}
