// Which versions of its config a writer has used, where an agent that remembers nothing can see it: an empty object for each, whose name is
// what the operator's key has said of the version. A writer may list what lies below `writers/<id>/`, and may not read it; and whoever has
// its key may put any name there, so that only those that a trusted key has signed count.
import { ifAllowed } from '../../store/abilities.js';
import type { ObjectReader, ObjectStore } from '../../store/object-store.js';
import { keyIdOf, readPublicKeys, type Signature, type SignedVersion, verifyVersion } from './signature.js';

const NAME = 'config-v';
/** The version, the key that has signed it, and the signature. Objects of earlier agents have the version alone. */
const MARK = /^(\d{8,16})(?:\.([0-9a-f]{16})\.([\w-]{86}))?$/;

const beginning = (writerId: string): string => `writers/${writerId}/${NAME}`;

export interface UsedVersions {
  /** The highest version that each trusted key has signed, in the order of the keys; 0 for none. */
  readonly byRank: readonly number[];
  /** The key of the highest version that no trusted key has signed, and that version; undefined without one. */
  readonly unsigned: { readonly key: string; readonly version: number } | undefined;
}

/**
 * Returns what the names of the objects say; nothing where the writer may not list. One LIST for a thousand. `publicKeys`: the trusted ones in
 * PEM, the newest last. @throws what the listing throws
 */
export async function usedVersions(
  reader: ObjectReader,
  { writerId, publicKeys }: { readonly writerId: string; readonly publicKeys: string },
  signal: AbortSignal,
): Promise<UsedVersions> {
  const trusted = readPublicKeys(publicKeys);
  const ranks = new Map(trusted.map((key, rank) => [keyIdOf(key), rank]));
  const byRank = trusted.map(() => 0);
  let unsigned: UsedVersions['unsigned'];
  const prefix = beginning(writerId);
  const take = (key: string): void => {
    const [, digits = '', keyId = '', text = ''] = MARK.exec(key.slice(prefix.length)) ?? [];
    const version = Number(digits);
    if (digits === '' || !Number.isSafeInteger(version)) return;
    const rank = ranks.get(`sha256:${keyId}`) ?? -1;
    if (version <= (byRank[rank] ?? 0)) return;
    const isSigned = verifyVersion({ writerId, version }, Buffer.from(text, 'base64url'), trusted[rank]);
    if (isSigned) byRank[rank] = version;
    else if (version > (unsigned?.version ?? 0)) unsigned = { key, version };
  };
  await ifAllowed(reader, 'list', prefix, async () => {
    for await (const { objects } of reader.list({ prefix, signal })) for (const { key } of objects) take(key);
  });
  return { byRank, unsigned };
}

/** The keys of objects that say that a version is used, one for each key that has signed it; none where its signer did not say it. */
export const marksOf = ({ writerId, version }: SignedVersion, signatures: readonly Signature[]): readonly string[] =>
  signatures.flatMap(({ keyId, versionSignature }) =>
    versionSignature === undefined
      ? []
      : [
          `${beginning(writerId)}${String(version).padStart(8, '0')}.${keyId.replace(/^sha256:/, '')}.${versionSignature.toString('base64url')}`,
        ],
  );

/** Notes that a version is used. @throws what writing throws */
export async function noteUsed(store: ObjectStore, marks: readonly string[], signal: AbortSignal): Promise<void> {
  // Without a condition: whoever puts it puts the same, and plain stores know none.
  for (const mark of marks) await store.put(mark, new Uint8Array(), { signal });
}
