// A MinIO server of a test's own, and the requests of its admin API that make users with policies. What carries secrets is encrypted there
// as its client does it: PBKDF2 and AES-GCM in fragments of 16 KiB, of which one is enough here.
import { createCipheriv, createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { startMinio as startServer } from '../servers/minio.js';
import { TEST_KEYS, type S3Keys } from '../servers/s3-server.js';

export interface Minio {
  readonly endpoint: string;
  /** Of the administrator. */
  readonly root: S3Keys;
  /** Hands a policy to the server. @throws with its answer when the server refuses the policy */
  addPolicy(name: string, policy: string): Promise<void>;
  addUser(name: string, secretAccessKey: string, policyName: string): Promise<void>;
  readonly stop: () => Promise<void>;
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Headers of a request signed with version 4. */
function signed(method: string, url: URL, body: Buffer): Record<string, string> {
  const at = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${at.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const digest = sha256(body);
  const headers = { host: url.host, 'x-amz-content-sha256': digest, 'x-amz-date': at };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const query = url.search.slice(1);
  const request = [method, url.pathname, query, lines.join(''), names, digest].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>((of, part) => hmac(of, part), `AWS4${TEST_KEYS.secretAccessKey}`);
  const signature = hmac(key, ['AWS4-HMAC-SHA256', at, scope, sha256(request)].join('\n')).toString('hex');
  const credential = `Credential=${TEST_KEYS.accessKeyId}/${scope}`;
  const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`;
  return { authorization, 'x-amz-content-sha256': digest, 'x-amz-date': at };
}

/** A text as the admin API takes secrets: salt, kind, nonce, and the one fragment that is also the last. */
function sealed(text: string): Buffer {
  const PBKDF2_AES_GCM = 2;
  const LAST = 0x80;
  const [salt, nonce] = [randomBytes(32), randomBytes(8)];
  const key = pbkdf2Sync(TEST_KEYS.secretAccessKey, salt, 8192, 32, 'sha256');
  const cipher = (counter: number) => {
    const whole = Buffer.concat([nonce, Buffer.alloc(4)]);
    whole.writeUInt32LE(counter, nonce.length);
    return createCipheriv('aes-256-gcm', key, whole);
  };
  const first = cipher(0);
  first.final();
  const only = cipher(1);
  only.setAAD(Buffer.concat([Buffer.from([LAST]), first.getAuthTag()]));
  const sealedText = Buffer.concat([only.update(text), only.final()]);
  return Buffer.concat([salt, Buffer.from([PBKDF2_AES_GCM]), nonce, sealedText, only.getAuthTag()]);
}

/** Starts one with nothing in it. @throws with what it said when it does not start */
export async function startMinio(): Promise<Minio> {
  const { endpoint, stop } = await startServer();
  const admin = async (method: string, path: string, body: Buffer): Promise<void> => {
    const url = new URL(`/minio/admin/v3/${path}`, endpoint);
    const answer = await fetch(url, { method, headers: signed(method, url, body), body: new Uint8Array(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };
  return {
    endpoint,
    root: TEST_KEYS,
    stop,
    addPolicy: (name, policy) => admin('PUT', `add-canned-policy?name=${name}`, Buffer.from(policy)),
    async addUser(name, secretKey, policyName) {
      await admin('PUT', `add-user?accessKey=${name}`, sealed(JSON.stringify({ secretKey, status: 'enabled' })));
      await admin(
        'PUT',
        `set-user-or-group-policy?isGroup=false&policyName=${policyName}&userOrGroup=${name}`,
        Buffer.alloc(0),
      );
    },
  };
}
