// Multipart uploads that somebody began and never ended; the program itself begins none.
import { CreateMultipartUploadCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3';

/** Begins a multipart upload of the key below the store's base, sends these parts, and leaves it; gives its id. */
export async function beginMultipart(
  endpoint: string,
  storeUrl: string,
  key: string,
  parts: readonly string[] = [],
): Promise<string> {
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
  const { host, pathname } = new URL(storeUrl);
  const place = { Bucket: host, Key: `${pathname.slice(1)}/${key}` };
  try {
    const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand(place));
    for (const [index, Body] of parts.entries())
      await client.send(new UploadPartCommand({ ...place, UploadId, PartNumber: index + 1, Body }));
    return UploadId;
  } finally {
    client.destroy();
  }
}
