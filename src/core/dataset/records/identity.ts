// Names that are derived, not looked up: upload ids, writer ids, dataset ids. See docs/format.md.
import { createHash } from 'node:crypto';
import { usageError } from '../../failures/errors.js';
import { type RawPath, textFromRaw } from '../../paths/raw-path.js';

/** Nothing that a key, an ARN or a shell could take for more than itself. */
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const NAMELESS = 'data';

/** `YYYYMMDD-HHMMSS-<8 hex>`; `random` are four random bytes. */
export function newUploadId(now: Date, random: Uint8Array): string {
  const digits = now.toISOString().replace(/[-:T]/g, '');
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}-${Buffer.from(random.subarray(0, 4)).toString('hex')}`;
}

/** @throws usage when the id could mean something else in a key or a policy */
export function checkWriterId(writerId: string): string {
  if (SAFE_ID.test(writerId)) return writerId;
  throw usageError(
    `--writer-id ${JSON.stringify(writerId)} cannot be used: up to 64 of A-Z a-z 0-9 . _ - are allowed, beginning with a letter or digit`,
  );
}

/** `--writer-id auto`: the same for this machine at every run. */
export function autoWriterId(host: string, machineId: string): string {
  return `${slug(host)}-${createHash('sha256').update(machineId).digest('hex').slice(0, 8)}`;
}

/** `<slug of the folder's name>-<8 hex of sha256(writer id, or host name if none; real source path)>`. */
export function deriveDatasetId(source: RawPath, owner: string): string {
  const name = source.slice(source.lastIndexOf('/') + 1);
  return `${slug(textFromRaw(name) ?? '')}-${identityDigest(source, owner)}`;
}

/** The same for a dataset whose manifests are encrypted: `data-<8 hex>`. */
export const deriveNamelessId = (source: RawPath, owner: string): string =>
  `${NAMELESS}-${identityDigest(source, owner)}`;

function identityDigest(source: RawPath, owner: string): string {
  const digest = createHash('sha256').update(`${owner}\0`).update(Buffer.from(source, 'latin1')).digest('hex');
  return digest.slice(0, 8);
}

function slug(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
    .slice(0, 48);
  return plain === '' ? NAMELESS : plain.toLowerCase();
}
