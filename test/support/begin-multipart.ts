// Multipart uploads that somebody began and never ended; the program itself begins none.
import { CreateMultipartUploadCommand, S3Client } from '@aws-sdk/client-s3';

/** Begins a multipart upload of the key below the store's base, and leaves it; gives its id. */
export async function beginMultipart(endpoint: string, storeUrl: string, key: string): Promise<string> {
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
  const { host, pathname } = new URL(storeUrl);
  const command = new CreateMultipartUploadCommand({ Bucket: host, Key: `${pathname.slice(1)}/${key}` });
  try {
    return (await client.send(command)).UploadId ?? '';
  } finally {
    client.destroy();
  }
}
