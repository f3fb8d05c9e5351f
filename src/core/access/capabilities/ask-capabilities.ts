// Finds out what a store can do by asking it; the entry point of this folder. A refused question does not stop the others. Objects of a few
// bytes are put, and deleted again, if the credentials allow it.
import { link } from 'node:fs/promises';
import { type Answer, answerOf, isAnswered } from '../answer.js';
import { askBucket } from '../check-access.js';
import type { CreateOnceAnswer } from '../../store/create-once/answer.js';
import { probeCreateOnce } from '../../store/create-once/probe.js';
import { hasHardLinks } from '../../store/file/hard-links.js';
import type { BucketLifecycle } from '../../store/bucket-lifecycle.js';
import type { MultipartTrial } from '../../store/bucket-multipart.js';
import type { BucketPosture } from '../../store/bucket-posture.js';
import type { ObjectStore } from '../../store/object-store.js';
import { type Capability, no, notAnswered, yes } from './capability.js';
import { clockOffset, clockSeen } from './clock.js';
import { capability, FOLDER } from './consequences.js';
import {
  classesSeen,
  copySeen,
  createOnceSeen,
  encryptionSeen,
  LARGEST_PART,
  lifecycleSeen,
  objectLockSeen,
  unfinishedSeen,
  versionsSeen,
} from './judge.js';
import { LISTING, probeScratch, type MultipartPlace, type ScratchProbe } from './scratch.js';

interface Asked extends Pick<MultipartPlace, 'deleter' | 'folder' | 'randomBytes' | 'signal'> {
  readonly now: () => Date;
}

/** An open bucket and what is needed to ask it. */
export interface AskedBucket extends Asked {
  readonly store: ObjectStore;
  readonly posture: BucketPosture;
  readonly lifecycle: BucketLifecycle;
  readonly multipart: MultipartTrial;
  /** The result of an earlier check. */
  readonly createOnce: Answer<CreateOnceAnswer>;
}

/** Returns all rows for a bucket. @throws cancelled, wrong credentials, an unreachable store */
export async function bucketCapabilities(asked: AskedBucket): Promise<readonly Capability[]> {
  const { store, lifecycle, createOnce, now, signal } = asked;
  const [versions, lock, rules, encryption, clock, scratch] = await Promise.all([
    askBucket(asked, 'versioning'),
    askBucket(asked, 'objectLock'),
    answerOf('s3:GetLifecycleConfiguration', () => lifecycle.read(signal)),
    askBucket(asked, 'encryption'),
    clockOffset(store, now, signal),
    scratchOf(asked),
  ]);
  return [
    capability('create-once', createOnceSeen(createOnce)),
    capability('versions', versionsSeen(versions)),
    capability('object-lock', objectLockSeen(lock)),
    capability('lifecycle', lifecycleSeen(rules)),
    capability('storage-classes', classesSeen(scratch.classes)),
    capability('encryption', encryptionSeen(scratch.encryption, encryption)),
    capability('unfinished-uploads', unfinishedSeen(scratch.unfinished)),
    capability('multipart-copy', copySeen(scratch.copied)),
    capability('largest-part', LARGEST_PART),
    capability('clock', clockSeen(clock)),
  ];
}

/** Puts scratch objects, unless an earlier question that puts was not answered; unfinished uploads are listed in any case. */
async function scratchOf(asked: AskedBucket): Promise<ScratchProbe> {
  const { createOnce, store, signal } = asked;
  if (isAnswered(createOnce))
    return await probeScratch({ ...asked, isCreateOnce: createOnce.value.kind === 'create-once' });
  const unfinished = await answerOf(LISTING, async () => {
    await store.listMultipart('', signal)[Symbol.asyncIterator]().next();
    return 'answered' as const;
  });
  return { classes: createOnce, encryption: createOnce, unfinished, copied: createOnce };
}

/** An open folder and what is needed to ask it. */
export interface AskedFolder extends Asked {
  readonly store: ObjectStore;
  /** Path of the folder. */
  readonly path: string;
  /** `fs.link`; tests can replace it to simulate a file system without hard links. */
  readonly link?: typeof link | undefined;
}

/** Returns the rows that apply to a folder. @throws cancelled */
export async function folderCapabilities(asked: AskedFolder): Promise<readonly Capability[]> {
  const { store, path, now, signal } = asked;
  const action = 'write access to the folder';
  const probed = await answerOf(action, () => probeCreateOnce(store, { ...asked, isAws: false }));
  const links = await answerOf(action, () => hasHardLinks(path, asked.link));
  const clock = await clockOffset(store, now, signal);
  const way = isAnswered(links) && links.value ? 'by hard links' : 'under a lock, as there are no hard links';
  const seen = createOnceSeen(probed);
  const created = isAnswered(links) && seen.state === 'yes' ? yes(`${seen.detail}, ${way}`) : seen;
  return [
    capability('create-once', isAnswered(links) ? created : notAnswered(links.unanswered)),
    capability('versions', no('a folder keeps none'), FOLDER.versions),
    capability('unfinished-uploads', yes('they are temp files in the folder'), FOLDER.unfinished),
    capability('clock', clockSeen(clock)),
  ];
}
