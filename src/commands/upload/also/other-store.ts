// The stores that --also names: where each is, and how it is reached.
import type { Context } from '../../../cli/context.js';
import { kebab } from '../../../cli/flag.js';
import { placeUrlOf, storeWord } from '../../../cli/named-stores.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { shellWord } from '../../../core/platform/text/shell-word.js';
import { uploadUrlOf, type UploadId } from '../../../core/store/ids/upload-id.js';
import type { OpenedStore } from '../../../core/store/open-store.js';
import { joinStoreUrl, parseStoreUrl } from '../../../core/store/store-url.js';
import { realUrl } from '../../copy/both-stores.js';
import { accessAt } from '../../kit/access-at.js';
import { openForWriting, type OpenForWriting, type StoreValues } from '../../kit/store.js';
import { baseUrlOf } from '../engine-options.js';

/** Values of an upload that matter in each of its stores. */
export interface SharedValues extends StoreValues {
  readonly storageClass: string;
  readonly kmsKeyId: string | undefined;
  readonly objectLock: 'governance' | 'compliance' | undefined;
  readonly retain: number | undefined;
  readonly newStore: boolean;
  readonly project: string | undefined;
  readonly dryRun: boolean;
}

export interface OtherStore {
  /** As people name it. */
  readonly name: string;
  /** The place above `uploads/`, without the writer. */
  readonly base: string;
  readonly url: string;
  readonly isFolder: boolean;
  readonly values: SharedValues;
  readonly context: Context<'upload'>;
  readonly open: OpenForWriting;
}

/** Finds them. @throws usage for the URL of an upload */
export const otherStores = (
  also: readonly string[],
  writerId: string | undefined,
  values: SharedValues,
  context: Context<'upload'>,
): readonly OtherStore[] =>
  also.map((text) => {
    const base = baseUrlOf(placeUrlOf(text, context) ?? text);
    const below = writerId === undefined ? [] : ['writers', writerId];
    const url = joinStoreUrl(base, ...below);
    const isFolder = parseStoreUrl(url).kind === 'file';
    const isNamed = storeWord(text, context.stores) !== undefined;
    const access = accessAt({ text, url, isTyped: false }, { ...values }, context);
    // A folder has no classes, keys and locks.
    const none = { storageClass: 'STANDARD', kmsKeyId: undefined, objectLock: undefined, retain: undefined };
    const own = { ...values, ...access.values, ...(isFolder && none) };
    const name = isNamed ? text + (below.length > 0 && !text.endsWith(':') ? '/' : '') + below.join('/') : url;
    return {
      name,
      base,
      url,
      isFolder,
      values: own,
      context: access.context,
      open: openForWriting(url, own, access.context),
    };
  });

/** Refuses stores of which one is another, or lies in it. @throws usage */
export function refuseOverlap(stores: readonly OpenedStore[]): void {
  for (const [at, one] of stores.entries())
    for (const other of stores.slice(at + 1)) {
      if ((one.servers?.store ?? null) !== (other.servers?.store ?? null)) continue;
      const [a, b] = [realUrl(one.store.url), realUrl(other.store.url)];
      const names = `${printable(one.store.url)} and ${printable(other.store.url)}`;
      if (a === b) throw usageError(`${names} are one store`, 'name another one for --also, or leave it out');
      if (a.startsWith(`${b}/`) || b.startsWith(`${a}/`))
        throw usageError(`of ${names}, one lies in the other`, 'name another place for --also');
    }
}

const ACCESS = ['region', 'profile', 'endpointUrl', 'caBundle'] as const;

interface CopyLine {
  readonly from: string;
  readonly uploadId: UploadId;
  readonly to: Pick<OtherStore, 'name' | 'isFolder' | 'values'>;
}

/** The command that makes a version of one store in another. What was typed is typed again. */
export function copyCommand({ from, uploadId, to }: CopyLine, values: SharedValues, { origins }: Context): string {
  const flags: string[] = [];
  const add = (key: string, value: unknown): void => {
    if (typeof value === 'string') flags.push(`--${kebab(key)} ${shellWord(printable(value))}`);
  };
  for (const key of ACCESS) {
    if (origins[key] !== 'flag') continue;
    add(key, values[key]);
    if (!to.isFolder && to.values[key] !== values[key]) add(`to-${key}`, to.values[key]);
  }
  if (!to.isFolder) {
    if (to.values.storageClass !== 'STANDARD') add('storageClass', to.values.storageClass);
    add('kmsKeyId', to.values.kmsKeyId);
    add('objectLock', to.values.objectLock);
    if (to.values.retain !== undefined) add('retain', `${Math.ceil(to.values.retain / DAY_MS)}d`);
  }
  return [
    'archiver copy',
    shellWord(printable(uploadUrlOf(from, uploadId))),
    shellWord(printable(to.name)),
    ...flags,
  ].join(' ');
}

const DAY_MS = 86_400_000;
