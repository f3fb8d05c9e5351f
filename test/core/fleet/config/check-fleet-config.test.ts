import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkFleetConfig } from '../../../../src/core/fleet/config/check-fleet-config.js';
import { yamlOf } from '../../../support/fleet-config.js';

const check = (text: string) => checkFleetConfig(Buffer.from(text));
const LEAST = 'version: 1\nwriter_id: web-01\nwatch_paths:\n  - path: /data\n';

test('reads every key', () => {
  const { config, errors, warnings } = check(`
version: 12
writer_id: web-01
name: web server
description: for people
s3_config: {bucket: acme-archive, prefix: /lab/, region: eu-central-1, storage_class: standard_ia, kms_key_id: alias/lab}
scan_interval: 1h30m
run_now: 2026-05-01T14:30:00+02:00
track_deletes: true
ignore_ctime: true
allow_scope_expansion: true
watch_paths:
  - path: /data//runs/
    include_patterns: ['!keep', 2024]
    exclude_patterns: ["*.tmp"]
    recursive: false
    min_age: 15m
    storage_class: GLACIER_IR
    may_move: true
    may_shrink: true
    max_changed_percent: 80
  - path: /home/ähre
`);

  expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
  expect(config).toEqual({
    version: 12,
    writerId: 'web-01',
    name: 'web server',
    storeUrl: 's3://acme-archive/lab',
    region: 'eu-central-1',
    storageClass: 'STANDARD_IA',
    kmsKeyId: 'alias/lab',
    sources: [
      {
        path: '/data/runs',
        storageClass: 'GLACIER_IR',
        include: ['!keep', '2024'],
        exclude: ['*.tmp'],
        recursive: false,
        minAgeMs: 900_000,
        mayMove: true,
        mayShrink: true,
        maxChangedPercent: 80,
        deleteAfterArchive: false,
      },
      {
        path: '/home/ähre',
        storageClass: undefined,
        include: [],
        exclude: [],
        recursive: true,
        minAgeMs: 0,
        mayMove: false,
        mayShrink: false,
        maxChangedPercent: 50,
        deleteAfterArchive: false,
      },
    ],
    scanIntervalMs: 5_400_000,
    runNowMs: Date.parse('2026-05-01T12:30:00Z'),
    trackDeletes: true,
    ignoreCtime: true,
    allowScopeExpansion: true,
  });
});

test('needs little, and takes lines that end as on Windows', () => {
  const { config, errors } = check(LEAST.replaceAll('\n', '\r\n'));

  expect(errors).toEqual([]);
  expect(config).toMatchObject({
    version: 1,
    writerId: 'web-01',
    storeUrl: undefined,
    trackDeletes: false,
    ignoreCtime: false,
  });
  expect(config?.sources[0]?.path).toBe('/data');
});

test('takes a store as a URL, with what goes with it beside', () => {
  const { config } = check(
    `${LEAST}store: s3://acme-archive/lab/\nregion: eu-west-1\nkms_key_id: abc\nstorage_class: GLACIER\n`,
  );

  expect(config).toMatchObject({
    storeUrl: 's3://acme-archive/lab',
    region: 'eu-west-1',
    kmsKeyId: 'abc',
    storageClass: 'GLACIER',
  });
});

test.each(['s3://fleet/lab', 's3://acme-archive/fleet', 'file:///writers/lab'])('takes the base %s', (store) => {
  expect(check(yamlOf({ store })).config?.storeUrl).toBe(store);
});

describe('refuses in one sentence with its place', () => {
  test.each<[string, string, RegExp]>([
    ['nothing', '', /^the config is empty$/],
    ['only comments', '# here\n', /^the config is empty$/],
    ['a list', '- version: 1\n', /^line 1 column 1: the config must hold keys, such as version: 1$/],
    ['text that is not YAML', 'version: [1\n', /^line 2 column 1: the config is not valid YAML: /],
    ['tabs', 'version: 1\n\twriter_id: x\n', /^line 2 column \d+: the config is not valid YAML: /],
    ['a second document', `${LEAST}---\nversion: 2\n`, /^line 5 column 1: the config holds a second document/],
    ['a byte order mark', `\ufeff${LEAST}`, /^the config begins with a byte order mark: save it as UTF-8 without one$/],
    ['deep nesting', `x: ${'['.repeat(20_000)}`, /the config nests too deep$/],
    ['a key twice', `${LEAST}version: 2\n`, /^line 5 column 1: version stands there twice: keep one$/],
    [
      'a key of a source twice',
      `${LEAST}    path: /b\n`,
      /^line 5 column 5: watch_paths\[0\]\.path stands there twice: keep one$/,
    ],
    [
      'an unknown key',
      `${LEAST}scan_intervall: 1h\n`,
      /^line 5 column 1: 'scan_intervall' is no key of a config; did you mean scan_interval\?$/,
    ],
    [
      'an unknown key of a source',
      `${LEAST}    exclude: [a]\n`,
      /'watch_paths\[0\]\.exclude' is no key of a config; did you mean exclude_patterns\?$/,
    ],
    ['a key that is no text', `${LEAST}? [a]\n: 1\n`, /^line 5 column 3: a key must be a text$/],
    ['a merge key', `${LEAST}<<: {name: x}\n`, /'<<' is no key of a config$/],
    ['a secret', `${LEAST}secret_access_key: x\n`, /secret_access_key is a secret, which has no place in a config/],
    [
      'commands',
      `${LEAST}hooks: {before: [rm]}\n`,
      /hooks is refused: commands to run come only from the config file of the machine/,
    ],
    [
      'a ping over http',
      `${LEAST}ping_url: http://127.0.0.1/s3cr3t\n`,
      /: ping_url must begin with https:\/\/ \(http is for --ping-url/,
    ],
    [
      'a ping that is no address',
      `${LEAST}ping_url: s3cr3t\n`,
      /: ping_url wants an address that begins with https:\/\/$/,
    ],
    [
      'a placeholder of a ping',
      `${LEAST}ping_url: https://x.example/s3cr3t/{writer}\n`,
      /: ping_url knows no placeholder but {writer_id}$/,
    ],
    ['an address', `${LEAST}endpoint_url: http://x\n`, /endpoint_url is refused: set AWS_ENDPOINT_URL on the machine/],
    ['an anchor', `${LEAST}name: &a x\n`, /^line 5 column \d+: an anchor \(&\) is not read in a config/],
    [
      'a pattern that is an alias',
      `${LEAST}    exclude_patterns: [*.log]\n`,
      /an alias \(\*\) is not read in a config: .*quote a text that begins with \*$/,
    ],
    ['a tag', `${LEAST}name: !!str x\n`, /a tag \(!\) is not read in a config/],
    ['no version', LEAST.replace('version: 1\n', ''), /^line 1 column 1: version is missing$/],
    ['version 0', LEAST.replace('1', '0'), /^line 1 column 10: version wants a whole number, 1 or more$/],
    ['a version with a zero in front', LEAST.replace('1', '010'), /version wants a whole number/],
    ['a version that is no number', LEAST.replace('1', '"1"'), /version wants a whole number/],
    ['a version too large to count', LEAST.replace('1', '9007199254740993'), /version wants a whole number/],
    ['no writer', LEAST.replace('writer_id: web-01\n', ''), /writer_id is missing/],
    [
      'a writer that is a path',
      LEAST.replace('web-01', '../web'),
      /^line 2 column 12: writer_id cannot be '\.\.\/web': up to 64 of /,
    ],
    ['a writer to be derived', LEAST.replace('web-01', 'auto'), /writer_id must name the writer/],
    ['an empty writer', LEAST.replace('web-01', '""'), /writer_id is empty/],
    ['a name without a text', `${LEAST}name:\n`, /^line 5 column \d+: name has no value$/],
    [
      'two stores',
      `${LEAST}store: s3://abc\ns3_config: {bucket: abc}\n`,
      /^line 5 column 8: store and s3_config both say where the store is: keep one$/,
    ],
    [
      'settings of two places',
      `${LEAST}region: eu-west-1\ns3_config: {bucket: abc}\n`,
      /region belongs into s3_config where there is one/,
    ],
    ['no bucket', `${LEAST}s3_config: {prefix: x}\n`, /s3_config\.bucket is missing/],
    [
      'a bucket that is none',
      `${LEAST}s3_config: {bucket: A_B}\n`,
      /s3_config\.bucket cannot be used: 'A_B' is not a bucket name/,
    ],
    [
      'a prefix that climbs',
      `${LEAST}s3_config: {bucket: abc, prefix: a/../b}\n`,
      /s3_config\.prefix cannot be used: /,
    ],
    ['a store that is none', `${LEAST}store: ftp://x\n`, /store cannot be used: 'ftp:\/\/x' is not a store URL/],
    [
      'the place of a writer',
      `${LEAST}store: s3://abc/lab/writers/web-01\n`,
      /store names a place below writers\/: name the base of the fleet/,
    ],
    ['the place of an upload', `${LEAST}store: s3://abc/uploads/x\n`, /store names a place below uploads\//],
    ['a region that is none', `${LEAST}region: "*"\n`, /region is no region: '\*'/],
    [
      'a class that is none',
      `${LEAST}storage_class: GLACIR\n`,
      /storage_class is no storage class: 'GLACIR'; use GLACIER$/,
    ],
    [
      'a class in a folder',
      `${LEAST}    storage_class: GLACIER\nstore: file:///mnt/x\n`,
      /watch_paths\[0\]\.storage_class can do nothing for file:\/\/\/mnt\/x, which is a folder/,
    ],
    [
      'a key of KMS in a folder',
      `${LEAST}kms_key_id: x\nstore: file:///mnt/x\n`,
      /kms_key_id can do nothing for file:\/\/\/mnt\/x/,
    ],
    ['no folders', LEAST.replace('\n  - path: /data', ' []'), /watch_paths must name a folder at least/],
    ['folders that are no list', LEAST.replace('- path', 'path'), /watch_paths wants a list/],
    [
      'a folder without keys',
      LEAST.replace('path: /data', '/data'),
      /watch_paths\[0\] wants keys, such as path: \/data/,
    ],
    [
      'a folder without a path',
      LEAST.replace('path: /data', 'recursive: true'),
      /^line 4 column 5: watch_paths\[0\]\.path is missing$/,
    ],
    [
      'a relative path',
      LEAST.replace('/data', 'data'),
      /^line 4 column 11: watch_paths\[0\]\.path must be absolute: 'data'$/,
    ],
    ['a path from home', LEAST.replace('/data', '~/data'), /must be absolute, and ~ is not expanded: '~\/data'$/],
    [
      'a path that climbs',
      LEAST.replace('/data', '/data/../etc'),
      /must not hold '\.' or '\.\.': '\/data\/\.\.\/etc'$/,
    ],
    ['a path with a zero byte', LEAST.replace('/data', String.raw`"/a\0b"`), /holds a zero byte: '\/a\\x00b'$/],
    [
      'a folder twice',
      `${LEAST}  - path: /data/\n`,
      /^line 5 column 11: watch_paths\[1\]\.path stands there twice: '\/data'$/,
    ],
    ['patterns that are no list', `${LEAST}    exclude_patterns: "*.log"\n`, /exclude_patterns wants a list of texts/],
    [
      'a pattern that is no text',
      `${LEAST}    exclude_patterns: [[a]]\n`,
      /exclude_patterns wants a list of texts: quote/,
    ],
    ['an empty pattern', `${LEAST}    exclude_patterns: [" "]\n`, /the pattern ' ' is empty/],
    ['a comment for a pattern', `${LEAST}    exclude_patterns: ["#x"]\n`, /the pattern '#x' is a comment/],
    ['a pattern of two lines', `${LEAST}    include_patterns: ["a\\nb"]\n`, /the pattern 'a\\x0ab' has a line break/],
    [
      'a pattern that the filter does not take',
      `${LEAST}    include_patterns: ["${'('.repeat(200_000)}"]\n`,
      /the pattern '\(+…' cannot be used/,
    ],
    ['recursive that is a text', `${LEAST}    recursive: "yes"\n`, /watch_paths\[0\]\.recursive wants true or false/],
    ['an age without a unit', `${LEAST}    min_age: 60\n`, /watch_paths\[0\]\.min_age wants a duration such as/],
    ['more than all', `${LEAST}    max_changed_percent: 101\n`, /max_changed_percent must be from 1 to 100/],
    [
      'a share of nothing',
      `${LEAST}    max_changed_percent: 0\n`,
      /max_changed_percent wants a whole number, 1 or more/,
    ],
    ['a share with its sign', `${LEAST}    max_changed_percent: 50%\n`, /max_changed_percent wants a whole number/],
    ['an interval of nothing', `${LEAST}scan_interval: 0\n`, /scan_interval must be from 1s to 366d/],
    [
      'a time without a zone',
      `${LEAST}run_now: 2026-05-01T14:30:00\n`,
      /run_now wants a time such as 2026-05-01T14:30:00Z/,
    ],
    ['a time that is none', `${LEAST}run_now: 2026-13-01T14:30:00Z\n`, /run_now wants a time such as/],
    ['an interval of years', `${LEAST}scan_interval: 400d\n`, /scan_interval must be from 1s to 366d/],
  ])('%s', (_, text, sentence) => {
    const { config, errors } = check(text);

    expect(errors.length).toBeGreaterThan(0);
    expect(errors).toContainEqual(expect.stringMatching(sentence));
    expect(config).toBeUndefined();
  });

  test('bytes that are no UTF-8, and more than 1 MiB of them', () => {
    const bad = Buffer.concat([Buffer.from(LEAST), Buffer.from([0x6e, 0xff, 0x0a])]);
    const large = Buffer.concat([Buffer.from(LEAST), Buffer.alloc(1024 * 1024, '#')]);

    expect(checkFleetConfig(bad).errors).toEqual(['line 5: the config is not UTF-8']);
    expect(checkFleetConfig(Buffer.from(LEAST, 'utf16le')).errors).toHaveLength(1);
    expect(checkFleetConfig(large).errors).toEqual(['the config is larger than 1 MiB']);
  });

  test('a bomb of aliases, without taking it apart', () => {
    const lines = Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(9)}]`);
    const { config, errors } = check(`a0: &a0 lol\n${lines.join('\n')}\n${LEAST}`);

    expect(config).toBeUndefined();
    expect(errors[0]).toMatch(/^line 1 column \d+: an anchor/);
    expect(errors).toHaveLength(100);
  });

  test('a file of unknown keys, with the first hundred', () => {
    const { errors } = check(Array.from({ length: 5000 }, (_, i) => `key_${i}: 1`).join('\n'));

    expect(errors).toHaveLength(100);
  });

  test('more folders than a heartbeat can name', () => {
    const paths = Array.from({ length: 1001 }, (_, i) => `  - path: /d${i}`).join('\n');

    expect(check(`version: 1\nwriter_id: w\nwatch_paths:\n${paths}\n`).errors).toEqual([
      expect.stringMatching(/^line 4 column 3: watch_paths names 1001 folders, and 1000 are allowed$/),
    ]);
  });

  test('control characters, printed as bytes', () => {
    const { errors } = check(`${LEAST}"\\e[2J": 1\n`);

    expect(errors).toEqual(["line 5 column 1: '\\x1b[2J' is no key of a config"]);
  });
});

const like = (sentence: string | RegExp): unknown =>
  typeof sentence === 'string' ? sentence : expect.stringMatching(sentence);

describe('warns', () => {
  test.each<[string, string, readonly (string | RegExp)[]]>([
    [
      'of keys that only tune',
      `${LEAST}id: x\nworker_pool_size: 4\ns3_config: {bucket: abc, use_transfer_acceleration: true}\n`,
      [
        'line 5 column 1: id is ignored: the writer is named by writer_id',
        'line 6 column 1: worker_pool_size is ignored: one thread for each processor packs',
        'line 7 column 26: s3_config.use_transfer_acceleration is ignored: requests go to the ordinary address of the bucket',
      ],
    ],
    [
      'that nothing is deleted',
      `${LEAST}    delete_after_archive: true\n    include_patterns: ["*.raw"]\n`,
      [
        /^line 5 column 27: watch_paths\[0\]\.delete_after_archive does nothing: agents never delete, \/data stays as it is$/,
      ],
    ],
    [
      'that everything would be deleted',
      `${LEAST}    delete_after_archive: true\n    include_patterns: ["*.raw", "**"]\n`,
      [/does nothing: .*, \/data stays as it is, though it asks for every file: name what may go in include_patterns$/],
    ],
    [
      'of rules',
      `${LEAST}archival_rules:\n  - {name: old, delete_after_archive: true, file_pattern: "*"}\n  - {delete_after_archive: true, path_pattern: /tmp}\n`,
      [
        'line 6 column 3: archival_rules is ignored: agents sync, and watch_paths alone says what they archive',
        /^line 6 column 39: archival_rules\[0\]\.delete_after_archive does nothing: agents never delete, though it asks for every file: name what may go in file_pattern$/,
        /archival_rules\[1\]\.delete_after_archive does nothing/,
      ],
    ],
    [
      'of folders in folders',
      `${LEAST}  - path: /data/big/x\n`,
      ["line 5 column 11: watch_paths[1].path lies in '/data', so that its files are archived twice: exclude it there"],
    ],
    ['of the whole file system', LEAST.replace('/data', '/'), [/path is the whole file system/]],
  ])('%s', (_, text, sentences) => {
    const { errors, warnings } = check(text);

    expect(errors).toEqual([]);
    expect(warnings).toEqual(sentences.map(like));
  });

  test.each([
    ['excludes it', 'exclude_patterns: ["/big/"]'],
    ['includes something else', 'include_patterns: ["*.raw"]\n    exclude_patterns: ["big"]\n    recursive: false'],
    ['is not recursive', 'recursive: false'],
  ])('not of a folder in one that %s', (_, line) => {
    expect(check(`${LEAST}    ${line}\n  - path: /data/big/x\n`).warnings).toEqual([]);
  });

  test('not of a folder whose name only begins alike', () => {
    expect(check(yamlOf({ watch_paths: [{ path: '/data' }, { path: '/data2' }] })).warnings).toEqual([]);
  });
});

test('the example of docs/fleet.md is valid, and shows every key', () => {
  const page = readFileSync(new URL('../../../../docs/fleet.md', import.meta.url), 'utf8');
  const [, yaml = ''] = /^```yaml\n(version: .*?)^```$/ms.exec(page) ?? [];
  const { config, errors, warnings } = check(yaml);

  expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
  expect(config?.sources).toHaveLength(2);
});
