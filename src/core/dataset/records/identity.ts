// Derives names without a lookup: writer IDs, dataset IDs. See docs/format.md.
import { createHash } from 'node:crypto';
import { usageError } from '../../platform/failures/errors.js';
import { type RawPath, textFromRaw, bytesOf, baseName } from '../../platform/paths/raw-path.js';

/** Allows no character that has a special meaning in a key, an ARN or a shell. */
const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const NAMELESS = 'data';

/** True for a valid writer ID. */
export const isWriterId = (text: string): boolean => SAFE_ID.test(text);

/** Returns a valid ID. @throws usage when the ID could mean something else in a key or a policy */
export function checkWriterId(writerId: string): string {
  if (isWriterId(writerId)) return writerId;
  throw usageError(
    `--writer-id ${JSON.stringify(writerId)} cannot be used: up to 64 of A-Z a-z 0-9 . _ - are allowed, beginning with a letter or digit`,
  );
}

/** The ID for `--writer-id auto`: the same for this machine at every run. */
export function autoWriterId(host: string, machineId: string): string {
  return `${slug(host)}-${createHash('sha256').update(machineId).digest('hex').slice(0, 8)}`;
}

/** `<slug of the folder's name>-<8 hex of sha256(writer id, or host name if none; real source path)>`. */
export function deriveDatasetId(source: RawPath, owner: string): string {
  return `${slug(textFromRaw(baseName(source)) ?? '')}-${identityDigest(source, owner)}`;
}

/** The ID for a dataset whose manifests are encrypted: `data-<8 hex>`. */
export const deriveNamelessId = (source: RawPath, owner: string): string =>
  `${NAMELESS}-${identityDigest(source, owner)}`;

function identityDigest(source: RawPath, owner: string): string {
  const digest = createHash('sha256').update(`${owner}\0`).update(bytesOf(source)).digest('hex');
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
