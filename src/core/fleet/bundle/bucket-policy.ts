// The bucket policy that keeps writers from replacing objects, whatever their keys allow. Every PUT must carry If-None-Match, as every
// commit of archiver does, and S3 then answers 412 when the object exists. Copies and multipart uploads cannot carry it and fail. The only
// object of a writer that is put repeatedly is status.json, which is in neither folder.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes-enforce.html
import { IDENTITY_PATH } from '../identity/iam.js';
import type { FleetPlace, Partition } from './fleet-place.js';
import type { PolicyDocument } from './policy-document.js';

/** Returns the bucket policy of a fleet, the same for all of its writers. */
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
