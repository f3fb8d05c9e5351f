import { afterAll, beforeAll } from 'vitest';
import { beginMultipart } from '../../../support/begin-multipart.js';
import { startMemoryS3, type MemoryS3 } from '../../../support/memory-s3.js';
import { openTestS3, useTestCredentials } from '../../../support/open-s3.js';
import { describeConformance } from '../conformance.js';

let server: MemoryS3;

beforeAll(async () => {
  useTestCredentials();
  server = await startMemoryS3('bucket');
});
afterAll(() => server.close());

describeConformance('S3 store on the in-process server', {
  open: async () => (await openTestS3(server.endpoint, 'bucket')).store,
  omits: [],
  beginMultipart: (storeUrl, key) => beginMultipart(server.endpoint, storeUrl, key),
  maxKeys: 2500,
});
