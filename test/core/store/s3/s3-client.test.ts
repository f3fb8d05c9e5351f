import { S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { connectS3 } from '../../../../src/core/store/s3/s3-client.js';

test('the SDK copies no call and no answer for a log that there is not', async () => {
  const timeouts = { connectMs: 1000, idleMs: 1000, answerMs: 1000 };
  const endpointUrl = 'http://127.0.0.1:1';
  const options = { bucket: 'b', defaultRegion: 'us-east-1', env: {}, maxSockets: 1, timeouts, endpointUrl };
  const { client, close } = await connectS3(options);
  const namesOf = ({ middlewareStack }: S3Client): string => middlewareStack.identify().join();

  expect(namesOf(new S3Client({}))).toContain('loggerMiddleware');
  expect(namesOf(client)).not.toContain('loggerMiddleware');
  close();
});
