import { onTestFinished, expect, test } from 'vitest';
import { openStore } from '../../../../src/core/object-store/open-store.js';
import { tempFolder } from '../../../support/temp-folder.js';

test.each([
  ['AWS itself', {}, {}, true],
  ['another server by its flag', { endpointUrl: 'http://127.0.0.1:1' }, {}, false],
  ['another server by its variable', {}, { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }, false],
])('%s is told as what it is', async (_what, options, env, isAws) => {
  const opened = await openStore('s3://bucket/prefix', { env, region: 'eu-west-1', ...options });
  onTestFinished(() => opened.close());

  expect([opened.region, opened.isAws]).toEqual(['eu-west-1', isAws]);
});

test('a folder has no region and is not AWS', async () => {
  const opened = await openStore(`file://${await tempFolder()}`, { env: {} });

  expect([opened.region, opened.isAws]).toEqual([undefined, false]);
});
