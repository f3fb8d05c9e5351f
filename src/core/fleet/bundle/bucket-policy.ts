// What the bucket refuses to writers whatever their keys may do: to put an object where there is one. A PUT has to carry
// If-None-Match, which every commit of archiver does, and S3 then answers 412. Copies and multipart uploads cannot carry it and fail.
// Of a writer's objects status.json is the only one that is put again and again; it lies in neither folder.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes-enforce.html
import { IDENTITY_PATH } from '../identity/iam.js';
import type { FleetPlace, Partition } from './fleet-place.js';
import type { PolicyDocument } from './policy-document.js';

/** The bucket policy of a fleet: the same for every writer of it. */
export function createOnlyPolicy({ bucket, base }: FleetPlace, partition: Partition): PolicyDocument {
  const writers = `arn:${partition}:s3:::${bucket}/${base}writers/*`;
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Sid: 'ArchiverWritersOnlyCreate',
        Effect: 'Deny',
        Principal: '*',
        Action: ['s3:PutObject'],
        Resource: [`${writers}/uploads/*`, `${writers}/datasets/*`],
        Condition: {
          Null: { 's3:if-none-match': 'true' },
          ArnLike: { 'aws:PrincipalArn': `arn:${partition}:iam::*:user${IDENTITY_PATH}*` },
        },
      },
    ],
  };
}
