// What is advised where a key does not keep a promise: by what is known of the server, and nothing that it does not have.
import { describe, expect, test } from 'vitest';
import { PROMISE_NAMES } from '../../../../src/core/access/key-trial/key-promise.js';
import { serverAdvice } from '../../../../src/core/access/key-trial/server-advice.js';
import { type Provider, PROVIDERS } from '../../../../src/core/store/providers/provider.js';
import { factsOf } from '../../../../src/core/store/providers/provider-table.js';

const about = (provider: Provider | undefined, hasVersions = true) => {
  const advice = serverAdvice(provider, hasVersions);
  return (name: (typeof PROMISE_NAMES)[number], kept: 'holds' | 'broken' | 'unknown' = 'broken'): string =>
    advice.of(name, 'broken', kept);
};

test.each<[Provider | undefined, string]>([
  ['aws', 'Put bucket-policy.json of fleetagent init on the bucket.'],
  ['minio', 'What is overwritten is gone: turn versioning of the bucket on.'],
  ['ceph', 'Leave versioning off on Ceph'],
  ['garage', 'Garage keeps no versions: keep a copy where this key does not reach.'],
  ['r2', 'Cloudflare R2 keeps no versions: keep a copy where this key does not reach.'],
  ['b2', 'Backblaze B2 has application keys with capabilities'],
  [undefined, 'turn versioning of the bucket on where the server has it, else keep a copy'],
])('overwriting on %s', (provider, words) => {
  expect(about(provider)('overwrites-nothing')).toContain(words);
});

test('where versions are kept nothing is to be switched on, and a server that said it has none is not told to', () => {
  expect(about('minio')('overwrites-nothing', 'holds')).toContain('stays as an earlier version');
  expect(about('minio')('overwrites-nothing', 'unknown')).not.toContain('turn versioning');
  expect(about(undefined, false)('versions-kept')).toBe(
    'What is overwritten is gone, and this server keeps no versions: keep a copy where this key does not reach.',
  );
});

describe.each([...PROVIDERS, undefined])('%s', (provider) => {
  const facts = factsOf(provider ?? 'custom');

  test('is told no more than it has, in whole sentences', () => {
    const said = PROMISE_NAMES.map((name) => about(provider)(name));
    const wrong = [
      ...(facts.versions === false ? [/turn versioning/] : []),
      ...(facts.locks === false ? [/make the bucket with Object Lock/] : []),
      ...(typeof facts.policies === 'object' ? [/fleetagent i|s3:[A-Z]/] : []),
    ];

    expect(said.filter((text) => wrong.some((words) => words.test(text)))).toEqual([]);
    expect(said.filter((text) => !/^[A-Z].*[a-z)-]\.$/.test(text))).toEqual([]);
  });

  test('is told nothing of what holds', () => {
    expect(PROMISE_NAMES.map((name) => serverAdvice(provider).of(name, 'holds', 'holds')).join('')).toBe('');
  });
});
