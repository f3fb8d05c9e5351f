// Finds out what only stored objects can show: puts a few bytes in each storage class, and begins a multipart upload, in the folder of an
// upload that is never completed. Everything is deleted again; a prune sweeps whatever the credentials may not delete.
import { type Answer, answerOf, isAnswered, type Unanswered } from '../answer.js';
import { probeKey } from '../../store/create-once/probe-key.js';
import { errorText, isArchiverError } from '../../platform/failures/errors.js';
import type { MultipartTrial } from '../../store/bucket-multipart.js';
import type { ObjectDeleter, ObjectInfo } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { STORAGE_CLASSES } from '../../store/providers/storage-classes.js';
import {
  BODY,
  isKept,
  ScratchObjects,
  type ScratchPlace,
  type TriedClass,
} from '../../store/storage-classes/scratch-objects.js';

export interface MultipartPlace extends ScratchPlace {
  readonly deleter: ObjectDeleter;
  readonly multipart: MultipartTrial;
}

/** Results of putting objects in classes other than STANDARD. */
export interface ClassesSeen {
  readonly kept: readonly string[];
  /** Accepted, but stored in another class. */
  readonly dropped: readonly string[];
  readonly refused: readonly string[];
  /** Cold classes elsewhere that can be read here immediately, so that they are only names. */
  readonly names: readonly string[];
}

/**
 * Whether a begun upload is listed. `listed-then`: before it was begun, the store claimed to list none (rclone); `answered`: none could be
 * begun.
 */
export type UnfinishedSeen = 'listed' | 'listed-then' | 'not-listed' | 'answered';

export interface ScratchProbe {
  readonly classes: Answer<ClassesSeen>;
  /** How an object is encrypted that was put without asking for any encryption. */
  readonly encryption: Answer<ObjectInfo['encryption']>;
  readonly unfinished: Answer<UnfinishedSeen>;
  /** Whether a copied part has the right content. */
  readonly copied: Answer<boolean>;
}

/** Smallest object that all servers copy into a part; some (Garage) refuse smaller ones. */
const PART_BYTES = 5 * 1024 * 1024;
const CLEAN_UP_MS = 5000;
export const LISTING = 's3:ListBucketMultipartUploads';
const COLD = new Set<string>(['GLACIER', 'DEEP_ARCHIVE']);
/** STANDARD is left out, because every store has it. */
export const CLASSES = STORAGE_CLASSES.filter((name) => name !== 'STANDARD');

/** Puts the objects and examines them. @throws cancelled, wrong credentials, an unreachable store */
export async function probeScratch(place: MultipartPlace): Promise<ScratchProbe> {
  const scratch = new Scratch(place);
  try {
    const plain = await answerOf('s3:PutObject', () => scratch.put());
    if (!isAnswered(plain)) return { classes: plain, encryption: plain, unfinished: plain, copied: plain };
    const [classes, encryption, multipart] = await Promise.all([
      answerOf('s3:ListBucket', () => scratch.classes()),
      answerOf('s3:GetObject', () => scratch.encryptionOf(plain.value)),
      scratch.multipart(plain.value),
    ]);
    return { classes, encryption, ...multipart };
  } finally {
    await scratch.cleanUp();
  }
}

const isTooSmall = ({ unanswered: { why } }: { readonly unanswered: Unanswered }): boolean => /too ?small/i.test(why);

class Scratch {
  private readonly objects: ScratchObjects;
  private readonly begun: { readonly key: string; readonly id: string }[] = [];

  constructor(private readonly place: MultipartPlace) {
    this.objects = new ScratchObjects(place);
  }

  /** Puts an object and returns its key. */
  async put(body?: Buffer): Promise<string> {
    return await this.objects.put(undefined, body);
  }

  async classes(): Promise<ClassesSeen> {
    const tried = await this.objects.tryClasses(CLASSES);
    const namesOf = (some: readonly TriedClass[]): readonly string[] => some.map(({ name }) => name);
    const kept = tried.filter(isKept);
    const cold = kept.filter(({ name }) => COLD.has(name));
    const readable = await Promise.all(cold.map(async ({ name, key }) => ((await this.isRead(key)) ? [name] : [])));
    const isRefused = ({ refusal }: TriedClass): boolean => refusal !== undefined;
    return {
      kept: namesOf(kept),
      dropped: namesOf(tried.filter((one) => !isKept(one) && !isRefused(one))),
      refused: namesOf(tried.filter(isRefused)),
      names: readable.flat(),
    };
  }

  private async isRead(key: string): Promise<boolean> {
    const { store, signal } = this.place;
    const reading = async (): Promise<Buffer> => readAll(await store.get(key, { signal }), BODY.byteLength);
    return await reading().then(
      (content) => content.equals(BODY),
      (error: unknown) => {
        if (isArchiverError(error, 'cold-storage', 'access-denied')) return false;
        throw error;
      },
    );
  }

  async encryptionOf(key: string): Promise<ObjectInfo['encryption']> {
    const { store, signal } = this.place;
    return (await store.head(key, signal))?.encryption;
  }

  async multipart(plain: string): Promise<Pick<ScratchProbe, 'unfinished' | 'copied'>> {
    const { multipart, folder, randomBytes, signal } = this.place;
    const key = probeKey(folder, randomBytes);
    const before = await answerOf(LISTING, () => this.isListed(key));
    const begun = await answerOf('s3:PutObject', async () => {
      const id = await multipart.begin(key, signal);
      this.begun.push({ key, id });
      return id;
    });
    if (!isAnswered(begun)) return { unfinished: begun, copied: begun };
    const id = begun.value;
    const unfinished = await answerOf(LISTING, async (): Promise<UnfinishedSeen> => {
      if (!(await this.isListed(key))) return 'not-listed';
      return isAnswered(before) ? 'listed' : 'listed-then';
    });
    return { unfinished, copied: await this.copied(plain, key, id) };
  }

  private async isListed(key: string): Promise<boolean> {
    const { store, folder, signal } = this.place;
    for await (const one of store.listMultipart(folder, signal)) if (one.key === key) return true;
    return false;
  }

  private async copied(plain: string, key: string, id: string): Promise<Answer<boolean>> {
    const first = await this.copy(plain, BODY, key, id);
    if (isAnswered(first) || !isTooSmall(first)) return first;
    const body = Buffer.alloc(PART_BYTES, BODY);
    const larger = await answerOf('s3:PutObject', () => this.put(body));
    return isAnswered(larger) ? await this.copy(larger.value, body, key, id) : larger;
  }

  /** Copies a part and checks its size, because a store may report success without copying anything (rclone). */
  private async copy(from: string, body: Buffer, key: string, id: string): Promise<Answer<boolean>> {
    const { multipart, signal } = this.place;
    const copied = await answerOf('s3:PutObject and s3:GetObject', () => multipart.copyPart(from, key, id, signal));
    if (!isAnswered(copied)) return copied;
    return await answerOf('s3:ListMultipartUploadParts', async () => {
      return (await multipart.partBytes(key, id, signal)) === body.byteLength;
    });
  }

  async cleanUp(): Promise<void> {
    const { deleter } = this.place;
    const late = AbortSignal.timeout(CLEAN_UP_MS);
    await Promise.all([
      this.objects.cleanUp(),
      ...this.begun.map(({ key, id }) =>
        deleter.abortMultipart(key, id, late).catch((error: unknown) => errorText(error)),
      ),
    ]);
  }
}
