// AWS KMS as a key service. The only file that knows its SDK. Credentials, profile and transport are those of the S3
// client; a key that is named by its ARN is asked for in its own region.
import {
  DecryptCommand,
  DescribeKeyCommand,
  GenerateDataKeyCommand,
  GetKeyPolicyCommand,
  KMSClient,
} from '@aws-sdk/client-kms';
import { integrityError } from '../../platform/failures/errors.js';
import type { EventSink } from '../../events/events.js';
import { DEFAULT_RETRY, Retrier, type RetryOptions } from '../retry/retrier.js';
import { type AwsServiceOptions, awsService } from '../s3/aws-service.js';
import { StoreError } from '../store-error.js';
import { untilCancelled } from '../until-cancelled.js';
import { KEY_BYTES, type KeyInspection, type KeyService } from '../key-service.js';
import { kmsError, type KmsCall } from './kms-errors.js';

/** `region` is used for keys that do not name theirs. */
export interface KmsOptions extends Omit<AwsServiceOptions, 'maxSockets' | 'maxAttempts'> {
  readonly retry?: Partial<RetryOptions> | undefined;
  readonly onEvent?: EventSink | undefined;
}

/**
 * Most attempts if KMS stays silent. It answers in milliseconds and is asked once or twice a command: two attempts take a minute, not the
 * many that a store may take for a large body.
 */
const SILENT_ATTEMPTS = 2;
const MAX_SOCKETS = 4;
const ARN_REGION = /^arn:[a-z0-9-]+:kms:([a-z0-9-]+):/;

/** Opens KMS; nothing is sent before a key is asked for. */
export function kmsKeys(options: KmsOptions): KeyService & KeyInspection & { close(): void } {
  const { endpoint } = options;
  const settings = awsService({ ...options, maxSockets: MAX_SOCKETS, maxAttempts: 1 });
  const retrier = new Retrier({ ...DEFAULT_RETRY, service: 'KMS', onEvent: options.onEvent, ...options.retry });
  const clients = new Map<string, KMSClient>();

  const clientIn = (region: string): KMSClient => {
    const known = clients.get(region);
    if (known !== undefined) return known;
    const client = new KMSClient({ ...settings, region });
    clients.set(region, client);
    return client;
  };

  const ask = <T>(
    operation: KmsCall['operation'],
    keyId: string,
    signal: AbortSignal | undefined,
    send: (client: KMSClient, options: { abortSignal?: AbortSignal }) => Promise<T>,
  ): Promise<T> => {
    const region = ARN_REGION.exec(keyId)?.[1] ?? options.region;
    return retrier.run({ request: `kms ${operation}`, signal }, async (attempt) => {
      try {
        const sent = send(clientIn(region), signal === undefined ? {} : { abortSignal: signal });
        return await untilCancelled(sent, signal);
      } catch (error) {
        throw unlessSilent(kmsError(error, { operation, keyId, region, endpoint }), attempt);
      }
    });
  };

  return {
    generate: async (keyId, context, signal) => {
      const command = new GenerateDataKeyCommand({
        KeyId: keyId,
        KeySpec: 'AES_256',
        EncryptionContext: { ...context },
      });
      const answer = await ask('GenerateDataKey', keyId, signal, (client, send) => client.send(command, send));
      const { Plaintext, CiphertextBlob, KeyId } = answer;
      if (Plaintext?.length !== KEY_BYTES || CiphertextBlob === undefined)
        throw integrityError(`kms:GenerateDataKey with ${keyId}: KMS gave no usable data key`);
      return { kmsKeyId: KeyId ?? keyId, wrappedKey: Buffer.from(CiphertextBlob), dataKey: Buffer.from(Plaintext) };
    },
    decrypt: async ({ kmsKeyId, wrappedKey }, context, signal) => {
      const command = new DecryptCommand({
        KeyId: kmsKeyId,
        CiphertextBlob: wrappedKey,
        EncryptionContext: { ...context },
      });
      const { Plaintext } = await ask('Decrypt', kmsKeyId, signal, (client, send) => client.send(command, send));
      return Buffer.from(Plaintext ?? []);
    },
    describe: async (keyId, signal) => {
      const command = new DescribeKeyCommand({ KeyId: keyId });
      const { KeyMetadata } = await ask('DescribeKey', keyId, signal, (client, send) => client.send(command, send));
      const { Arn, KeyManager, KeyState } = KeyMetadata ?? {};
      return { arn: Arn ?? keyId, manager: KeyManager, state: KeyState };
    },
    policy: async (arn, signal) => {
      const command = new GetKeyPolicyCommand({ KeyId: arn, PolicyName: 'default' });
      return (await ask('GetKeyPolicy', arn, signal, (client, send) => client.send(command, send))).Policy ?? '';
    },
    close: () => settings.requestHandler.destroy(),
  };
}

/** Returns the error; not retriable any more if nobody answered twice. */
function unlessSilent(error: Error, attempt: number): Error {
  if (!(error instanceof StoreError) || error.code !== 'stalled' || attempt < SILENT_ATTEMPTS) return error;
  const { code, message, hint, reason, cause } = error;
  return new StoreError(code, `${message} (tried ${attempt} times)`, { hint, reason, cause, attempts: attempt });
}
