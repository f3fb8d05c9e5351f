import { describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../../../src/core/store/open-store.js';
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

test.each([
  ['AWS itself', undefined, 'aws'],
  ['a service', 'https://s3.us-west-004.backblazeb2.com', 'b2'],
  ['AWS behind an address of its own', 'https://vpce-1.s3.eu-west-1.vpce.amazonaws.com', 'aws'],
  ['a server that anybody may run', 'http://127.0.0.1:1', undefined],
])('who runs it is told by the address: %s', async (_what, endpointUrl, runBy) => {
  const opened = await openStore('s3://bucket', { env: {}, region: 'eu-west-1', endpointUrl });
  onTestFinished(() => opened.close());

  expect(opened.runBy).toBe(runBy);
});

describe('the region of a service', () => {
  const regionOf = async (endpointUrl: string, options: { region?: string; env?: Record<string, string> } = {}) => {
    const opened = await openStore('s3://bucket', { env: {}, defaultRegion: 'us-west-2', ...options, endpointUrl });
    onTestFinished(() => opened.close());
    return opened.region;
  };
  const ofAws = { env: { AWS_REGION: 'eu-west-1' } };

  test('is the one that its address names, whatever the shell says of AWS', async () => {
    expect(await regionOf('https://s3.us-west-004.backblazeb2.com', ofAws)).toBe('us-west-004');
    expect(await regionOf('https://0123.r2.cloudflarestorage.com', ofAws)).toBe('auto');
  });

  test('is the one that was given, first of all', async () => {
    expect(await regionOf('https://s3.us-west-004.backblazeb2.com', { region: 'here' })).toBe('here');
  });

  test('is the usual one where its address names none and nobody says another', async () => {
    expect(await regionOf('https://s3.nl-1.wasabisys.com')).toBe('us-east-1');
    expect(await regionOf('https://s3.nl-1.wasabisys.com', ofAws)).toBe('eu-west-1');
  });

  test('of a server that anybody may run is not guessed', async () => {
    expect(await regionOf('http://127.0.0.1:3900')).toBe('us-west-2');
  });
});

test('a folder has no region and is not AWS', async () => {
  const opened = await openStore(`file://${await tempFolder()}`, { env: {} });

  expect([opened.region, opened.isAws]).toEqual([undefined, false]);
});
