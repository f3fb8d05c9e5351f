// Checks whether the contents of a bucket can be destroyed: each question is judged separately, and unanswered ones are `unknown`.
import type { BucketLifecycle } from '../store/bucket-lifecycle.js';
import { POSTURE_ACTIONS } from '../store/bucket-posture.js';
import type { ObjectReader } from '../store/object-store.js';
import { answerOf, isAnswered, unknownFinding } from './answer.js';
import { askBucket, type CheckedBucket, lacksVersions, checkBucketExists } from './check-access.js';
import type { Finding } from './finding.js';
import { judgeAbortRule, judgeObjectLock, judgeRetention } from './judge-immutability.js';
import { judgeVersioning } from './judge-versioning.js';
import { keptVersions } from './kept-versions.js';

export interface CheckedLock extends Pick<CheckedBucket, 'posture' | 'place' | 'signal'> {
  readonly lifecycle: BucketLifecycle;
  /** Reads the place whose versions are to be kept. */
  readonly reader: ObjectReader;
  /** Key prefix of that place in the bucket, without a trailing slash. */
  readonly prefix: string;
  readonly now: Date;
}

/** Runs the checks. @throws not-found, access-denied for credentials that are not accepted, store, cancelled */
export async function checkLock(checked: CheckedLock): Promise<readonly Finding[]> {
  const { place, lifecycle, reader, prefix, now, signal } = checked;
  await checkBucketExists(checked);
  const [versioning, lock, rules] = await Promise.all([
    askBucket(checked, 'versioning'),
    askBucket(checked, 'objectLock'),
    answerOf('s3:GetLifecycleConfiguration', () => lifecycle.read(signal)),
  ]);
  const isLacking = await lacksVersions(checked, versioning);
  const findings = [
    isAnswered(versioning)
      ? judgeVersioning(versioning.value, place, { severity: 'critical', isLacking })
      : unknownFinding('versioning', versioning.unanswered),
    isAnswered(lock) ? judgeObjectLock(lock.value, place) : unknownFinding('object-lock', lock.unanswered),
    isAnswered(rules)
      ? judgeAbortRule(rules.value.rules, place, prefix)
      : unknownFinding('lifecycle-mpu', rules.unanswered),
  ];
  const retention = isAnswered(lock) && lock.value?.isOn === true ? lock.value.retention : undefined;
  if (retention === undefined) return findings;
  const kept = await answerOf(POSTURE_ACTIONS.bucket, () => keptVersions(reader, signal));
  if (!isAnswered(kept)) return [...findings, unknownFinding('retention', kept.unanswered)];
  const { versions, isComplete, notes } = kept.value;
  const judged = judgeRetention(retention, versions, { baseUrl: reader.url, now, isComplete });
  const detail = [judged.detail, ...notes].filter((text) => text !== '').join('\n');
  return [...findings, { ...judged, detail }];
}
