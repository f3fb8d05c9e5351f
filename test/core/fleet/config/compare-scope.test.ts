import { expect, test } from 'vitest';
import { checkFleetConfig } from '../../../../src/core/fleet/config/check-fleet-config.js';
import type { FleetConfig } from '../../../../src/core/fleet/config/fleet-config.js';
import { widenings } from '../../../../src/core/fleet/config/compare-scope.js';
import { yamlOf } from '../../../support/fleet-config.js';

type Keys = Readonly<Record<string, unknown>>;

function configOf(changes: Keys): FleetConfig {
  const { config, errors } = checkFleetConfig(Buffer.from(yamlOf(changes)));
  if (config === undefined) throw new Error(errors.join('; '));
  return config;
}

const data = (keys: Keys = {}): Keys => ({ watch_paths: [{ path: '/data', ...keys }] });
const paths = (...all: readonly string[]): Keys => ({ watch_paths: all.map((path) => ({ path })) });
const wider = (from: Keys, to: Keys): string[] => widenings(configOf(from), configOf(to));

test.each<[string, Keys, Keys, readonly string[]]>([
  ['a new path', data(), paths('/data', '/etc'), ["'/etc' is new"]],
  ['a path above', paths('/data/a'), paths('/data'), ["'/data' is new, and holds '/data/a' and more"]],
  ['the root', paths('/data'), paths('/'), ["'/' is new, and holds '/data' and more"]],
  [
    'a path below',
    paths('/data'),
    paths('/data', '/data/a'),
    ["'/data/a' is new: what '/data' leaves out there is read"],
  ],
  ['a path that only begins alike', paths('/data'), paths('/data', '/data2'), ["'/data2' is new"]],
  ['recursive', data({ recursive: false }), data(), ["'/data': recursive is turned on"]],
  ['deleting', data(), data({ delete_after_archive: true }), ["'/data': delete_after_archive is turned on"]],
  ['moving', data(), data({ may_move: true }), ["'/data': may_move is turned on"]],
  ['a lower age', data({ min_age: '1h' }), data({ min_age: '90s' }), ["'/data': min_age is lowered from 3600s to 90s"]],
  ['no age', data({ min_age: '1h' }), data(), ["'/data': min_age is lowered from 3600s to 0s"]],
  [
    'an include more',
    data({ include_patterns: ['a'] }),
    data({ include_patterns: ['b', 'a'] }),
    ["'/data': include_patterns has 'b' added"],
  ],
  [
    'an exception from excludes',
    data({ exclude_patterns: ['*'] }),
    data({ exclude_patterns: ['*'], include_patterns: ['a'] }),
    ["'/data': include_patterns has 'a' added"],
  ],
  [
    'an exclude less',
    data({ exclude_patterns: ['a', 'b'] }),
    data({ exclude_patterns: ['b'] }),
    ["'/data': exclude_patterns has 'a' removed"],
  ],
  ['no exclude', data({ exclude_patterns: ['a'] }), data(), ["'/data': exclude_patterns has 'a' removed"]],
  [
    'no include where nothing is excluded',
    data({ include_patterns: ['a'] }),
    data(),
    ["'/data': is no longer limited to its include_patterns"],
  ],
  [
    'an exclude that ends the limit of includes',
    data({ include_patterns: ['a'] }),
    data({ include_patterns: ['a'], exclude_patterns: ['b'] }),
    ["'/data': is no longer limited to its include_patterns"],
  ],
  [
    'other includes instead of excludes',
    data({ exclude_patterns: ['a'] }),
    data({ include_patterns: ['b'] }),
    ["'/data': include_patterns has 'b' added"],
  ],
  [
    'an exception in excludes',
    data({ exclude_patterns: ['*.log'] }),
    data({ exclude_patterns: ['*.log', '!keep.log'] }),
    ["'/data': exclude_patterns has '!keep.log' added"],
  ],
  [
    'an exception in includes that goes',
    data({ include_patterns: ['*.log', '!secret.log'] }),
    data({ include_patterns: ['*.log'] }),
    ["'/data': include_patterns has '!secret.log' removed"],
  ],
  [
    'exceptions in another order',
    data({ exclude_patterns: ['!keep.log', '*.log'] }),
    data({ exclude_patterns: ['*.log', '!keep.log'] }),
    ["'/data': exclude_patterns with ! come in another order"],
  ],
  [
    'another store',
    {},
    { store: 's3://other/lab' },
    ["the store changes from 's3://acme-archive/lab' to 's3://other/lab'"],
  ],
  ['a store where none was', { store: undefined }, {}, ["the store changes from none to 's3://acme-archive/lab'"]],
  ['another key', { kms_key_id: 'a' }, { kms_key_id: 'b' }, ["kms_key_id changes from 'a' to 'b'"]],
  ['a ping', {}, { ping_url: 'https://x.example/s3cr3t' }, ['ping_url is another address']],
  ['no ping any more', { ping_url: 'https://x.example/s3cr3t' }, {}, []],
  ['no encryption', { kms_key_id: 'a' }, {}, ["kms_key_id changes from 'a' to none"]],
  ['another writer', {}, { writer_id: 'web-02' }, ["writer_id changes from 'web-01' to 'web-02'"]],
  ['leave to widen', {}, { allow_scope_expansion: true }, ['allow_scope_expansion is turned on']],
])('names %s', (_, from, to, expected) => {
  expect(wider(from, to)).toEqual(expected);
});

test.each<[string, Keys, Keys]>([
  ['nothing', data(), data()],
  ['a path less', paths('/data', '/etc'), paths('/data')],
  ['the order of paths', paths('/data', '/etc'), paths('/etc', '/data')],
  ['an exclude more', data({ exclude_patterns: ['a'] }), data({ exclude_patterns: ['a', 'b'] })],
  ['a first exclude', data(), data({ exclude_patterns: ['a'] })],
  ['first includes', data(), data({ include_patterns: ['a'] })],
  ['an include less', data({ include_patterns: ['a', 'b'] }), data({ include_patterns: ['b'] })],
  ['the order of patterns', data({ exclude_patterns: ['a', 'b'] }), data({ exclude_patterns: ['b', 'a'] })],
  [
    'only includes that were exceptions before',
    data({ include_patterns: ['a', 'b'], exclude_patterns: ['c'] }),
    data({ include_patterns: ['a'] }),
  ],
  ['not recursive', data(), data({ recursive: false })],
  ['a higher age', data({ min_age: '1m' }), data({ min_age: '1h' })],
  ['no deleting', data({ delete_after_archive: true }), data()],
  [
    'settings that read nothing',
    {},
    { version: 2, scan_interval: '5m', track_deletes: true, storage_class: 'GLACIER', run_now: '2026-05-01T14:30:00Z' },
  ],
  ['leave to widen that was there', { allow_scope_expansion: true }, { allow_scope_expansion: true }],
])('takes %s for no widening', (_, from, to) => {
  expect(wider(from, to)).toEqual([]);
});
