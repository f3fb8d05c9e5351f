// Which S3 operation an HTTP request is.

/** The API's name, e.g. `UploadPart`. `path` is the request target of a path-style request. */
export function operationOf(method: string, path: string, headers: Readonly<Record<string, unknown>> = {}): string {
  const url = new URL(path, 'http://localhost');
  const has = (name: string): boolean => url.searchParams.has(name);
  const isBucket = url.pathname.replace(/^\//, '').replace(/\/$/, '').split('/').length === 1;
  return isBucket ? bucketOperation(method, has) : objectOperation(method, has, headers);
}

const LIFECYCLE: Readonly<Record<string, string>> = {
  PUT: 'PutBucketLifecycleConfiguration',
  DELETE: 'DeleteBucketLifecycle',
};

function bucketOperation(method: string, has: (name: string) => boolean): string {
  if (method === 'HEAD') return 'HeadBucket';
  if (has('object-lock')) return 'GetObjectLockConfiguration';
  if (has('lifecycle')) return LIFECYCLE[method] ?? 'GetBucketLifecycleConfiguration';
  if (has('versioning')) return method === 'PUT' ? 'PutBucketVersioning' : 'GetBucketVersioning';
  if (has('encryption') && method === 'GET') return 'GetBucketEncryption';
  if (method === 'PUT') return 'CreateBucket';
  if (method === 'POST') return 'DeleteObjects';
  if (has('uploads')) return 'ListMultipartUploads';
  if (has('versions')) return 'ListObjectVersions';
  return has('list-type') ? 'ListObjectsV2' : 'ListObjects';
}

function objectOperation(
  method: string,
  has: (name: string) => boolean,
  headers: Readonly<Record<string, unknown>>,
): string {
  if (has('retention')) return method === 'PUT' ? 'PutObjectRetention' : 'GetObjectRetention';
  switch (method) {
    case 'HEAD':
      return 'HeadObject';
    case 'DELETE':
      return has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject';
    case 'POST':
      if (has('restore')) return 'RestoreObject';
      return has('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload';
    case 'PUT':
      if (headers['x-amz-copy-source'] !== undefined) return has('partNumber') ? 'UploadPartCopy' : 'CopyObject';
      return has('partNumber') ? 'UploadPart' : 'PutObject';
    default:
      return has('uploadId') ? 'ListParts' : 'GetObject';
  }
}
