// A key service in this process, for what real ones cannot be made to do. It wraps by AES-GCM with the context as AAD.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { ArchiverError } from '../../src/core/platform/failures/errors.js';
import type { KeyContext, KeyService } from '../../src/core/store/key-service.js';

export const KEY_ARN = 'arn:aws:kms:us-east-1:123456789012:key/11111111-2222-3333-4444-555555555555';

export interface FakeKms extends KeyService {
  readonly calls: string[];
  /** From now on this is what decrypting fails with. */
  deny: ArchiverError | undefined;
}

/** `keyId` names another master key. */
export function fakeKms(): FakeKms {
  const masterOf = (keyId: string): Buffer => createHash('sha256').update(keyId).digest();
  const aadOf = (context: KeyContext): Buffer => Buffer.from(JSON.stringify(context));
  const kms: FakeKms = {
    calls: [],
    deny: undefined,
    generate(keyId, context) {
      kms.calls.push('generate');
      const dataKey = randomBytes(32);
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', masterOf(keyId), nonce);
      cipher.setAAD(aadOf(context));
      const wrappedKey = Buffer.concat([nonce, cipher.update(dataKey), cipher.final(), cipher.getAuthTag()]);
      return Promise.resolve({ kmsKeyId: keyId, wrappedKey, dataKey });
    },
    decrypt({ kmsKeyId, wrappedKey }, context) {
      kms.calls.push('decrypt');
      if (kms.deny !== undefined) return Promise.reject(kms.deny);
      const refused = new ArchiverError('integrity', 'kms:Decrypt: its data key is damaged');
      if (wrappedKey.length !== 60) return Promise.reject(refused);
      const decipher = createDecipheriv('aes-256-gcm', masterOf(kmsKeyId), wrappedKey.subarray(0, 12));
      decipher.setAAD(aadOf(context));
      decipher.setAuthTag(wrappedKey.subarray(-16));
      const dataKey = decipher.update(wrappedKey.subarray(12, -16));
      try {
        decipher.final();
      } catch {
        return Promise.reject(refused);
      }
      return Promise.resolve(dataKey);
    },
  };
  return kms;
}
