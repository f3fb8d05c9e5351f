// Looks at the store that is copied to. What is put there has the keys that it has elsewhere, so that the next run finds it, and that is why
// a folder in which a prune has been counts for nothing: a sweep may be about to delete what a mark names, and the writer of a new upload
// would take another key (rules.md#own-ids, rules.md#looks, rules.md#fence). Who vouches that nobody prunes there now goes on all the same.
import { checkFolder } from '../../dataset/check-references.js';
import { isFenceObject } from '../../format/manifest/fence.js';
import { isFenceFlag } from '../../format/manifest/fence-flag.js';
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { printable } from '../../platform/paths/raw-path.js';
import { folderOfKey, splitUploadKey } from '../../store/ids/upload-id.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';

const FOLDERS_AT_ONCE = 8;

interface Place {
  readonly key: string;
  /** Undefined when any size will do. */
  readonly sizeBytes: number | undefined;
}

export interface LookOptions {
  /** True for a version that is committed there: what it needs is not swept, whatever marks say. */
  readonly isCommitted: boolean;
  /** True for an upload of which the store has, or had, a version: what is not in its folder was swept, or moved. */
  readonly isOwned: (uploadId: string) => boolean;
  readonly signal: AbortSignal;
}

/** A folder of an upload as it was listed. */
interface FolderLook {
  readonly objects: ReadonlyMap<string, ObjectInfo>;
  /** Those that no mark names. */
  readonly sound: ReadonlyMap<string, ObjectInfo>;
  readonly isFenced: boolean;
}

export class TargetLooks {
  private readonly folders = new Map<string, Promise<FolderLook>>();

  /** `isExclusive`: nobody else writes or prunes there now. */
  constructor(
    private readonly reader: ObjectReader,
    private readonly isExclusive: boolean,
  ) {}

  /** Lists folders again from here on. */
  refresh(): void {
    this.folders.clear();
  }

  /** Returns those of `needs` that are not there. @throws conflict for what a prune has been at; integrity for another object */
  async missing<T extends Place>(needs: readonly T[], options: LookOptions): Promise<readonly T[]> {
    await forEachLimit(new Set(needs.map(({ key }) => folderOfKey(key))), FOLDERS_AT_ONCE, async (folder) => {
      await this.look(folder, options.signal);
    });
    const missing: T[] = [];
    for (const need of needs) {
      const look = await this.look(folderOfKey(need.key), options.signal);
      const found = look.objects.get(need.key);
      if (!options.isCommitted && !this.isExclusive) this.refuseSwept(need, look, found, options);
      if (found === undefined || (isFenceObject(found) && this.isExclusive)) missing.push(need);
      else if (need.sizeBytes !== undefined && found.sizeBytes !== need.sizeBytes) throw this.another(need, found);
    }
    return missing;
  }

  /** What lies in the place of a manifest that was given up. */
  async fenceAt(key: string, signal: AbortSignal): Promise<ObjectInfo | undefined> {
    const found = (await this.look(folderOfKey(key), signal)).objects.get(key);
    return found !== undefined && isFenceObject(found) ? found : undefined;
  }

  private async look(folder: string, signal: AbortSignal): Promise<FolderLook> {
    const look = this.folders.get(folder) ?? this.list(folder, signal);
    this.folders.set(folder, look);
    return await look;
  }

  private async list(folder: string, signal: AbortSignal): Promise<FolderLook> {
    const { objects, sound } = await checkFolder(this.reader, folder, signal);
    const isFenced = objects.some((one) => isFenceObject(one) || isFenceFlag(one.key));
    return { objects: new Map(objects.map((one) => [one.key, one])), sound, isFenced };
  }

  private refuseSwept({ key }: Place, look: FolderLook, found: ObjectInfo | undefined, options: LookOptions): void {
    const uploadId = splitUploadKey(key)?.uploadId ?? '';
    const isOwned = options.isOwned(uploadId);
    if (look.isFenced && !isOwned) throw this.swept(`upload ${uploadId} was given up and swept`);
    if (found !== undefined && !look.sound.has(key)) throw this.swept(`a prune has marked ${printable(key)}`);
    if (found === undefined && isOwned) throw this.swept(`${printable(key)} is not there any more`);
  }

  private swept(what: string): ArchiverError {
    return new ArchiverError(
      'conflict',
      `in ${printable(this.reader.url)} ${what}: a prune there may still delete it`,
      {
        hint: 'when nobody prunes there and nobody else writes there now, --exclusive copies it all the same; another place needs no flag',
      },
    );
  }

  private another({ key, sizeBytes }: Place, found: ObjectInfo): ArchiverError {
    const where = `${printable(this.reader.url)}/${printable(key)}`;
    return integrityError(
      `${where} has ${found.sizeBytes} bytes instead of ${sizeBytes}, and a copy replaces nothing`,
      {
        hint: `archiver verify ${printable(this.reader.url)}`,
      },
    );
  }
}
