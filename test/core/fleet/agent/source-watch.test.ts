// What an agent finds of its sources, with folders that are real and results of uploads that are told.
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { UploadResult } from '../../../../src/core/archive/upload-result.js';
import type { AgentPlan, AgentSource } from '../../../../src/core/fleet/agent/agent-plan.js';
import type { ArchiveLimits } from '../../../../src/core/fleet/agent/cycle.js';
import { agentFindings } from '../../../../src/core/fleet/agent/agent-findings.js';
import { movedText, type Place } from '../../../../src/core/fleet/agent/source-place.js';
import { SourceWatch } from '../../../../src/core/fleet/agent/source-watch.js';
import { SOURCE_DEFAULTS } from '../../../../src/core/fleet/config/fleet-config.js';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import { tempFolder } from '../../../support/temp-folder.js';

const NOW = new Date('2026-05-01T00:00:00Z');

interface Told {
  readonly files?: number;
  readonly bytes?: number;
  readonly datasetId?: string;
  readonly version?: number;
  readonly storedBytes?: number;
  readonly changes?: Partial<NonNullable<UploadResult['changes']>>;
  readonly measured?: Partial<UploadResult['measured']>;
}

const resultOf = ({ files = 100, bytes = files * 1000, changes, measured, ...rest }: Told): UploadResult =>
  ({
    datasetId: 'data-1',
    version: 2,
    files: 100,
    bytes: 100_000,
    storedBytes: 0,
    skipped: [],
    ...rest,
    measured: { files, bytes, packed: { files: 0, bytes: 0 }, suffixed: 0, isRewritten: false, ...measured },
    changes: {
      added: 0,
      modified: 0,
      deleted: 0,
      unchanged: files,
      gone: 100 - files,
      noChanges: false,
      comparedWith: 'cache',
      ...changes,
    },
  }) as unknown as UploadResult;

const FIRST: Told = {
  version: 1,
  storedBytes: 50_000,
  changes: { comparedWith: 'none', added: 100, unchanged: 0 },
  measured: { packed: { files: 100, bytes: 100_000 } },
};
const WHOLE: Told = {
  version: 3,
  storedBytes: 50_000,
  changes: { comparedWith: 'none' },
  measured: { packed: { files: 100, bytes: 100_000 } },
};

async function world({
  change = {},
  isResendExpected = false,
}: { readonly change?: Partial<AgentSource>; readonly isResendExpected?: boolean } = {}) {
  const path = join(realpathSync(await tempFolder()), 'data');
  mkdirSync(path);
  const state = { store: 's3://b', version: 1 as number | null, now: NOW };
  const source = {
    path,
    storageClass: 'STANDARD',
    include: [],
    exclude: [],
    recursive: true,
    minAgeMs: 0,
    deleteAfterArchive: false,
    ...SOURCE_DEFAULTS,
    ...change,
  } satisfies AgentSource;
  const options = { storeOf: () => Promise.resolve(state.store), isResendExpected, now: () => state.now };
  const one = { watch: new SourceWatch({ watched: [], findings: [] }, options) };
  return {
    path,
    state,
    answer: (paths: readonly string[] | null = null) => one.watch.answer(paths),
    /** What the next process of the agent knows. */
    restart: () => {
      const findings = one.watch.findings([source]);
      one.watch = new SourceWatch({ watched: one.watch.list(), findings }, options);
    },
    /** Archives it once; gives whether that failed, and the kinds of findings. An engine that may not send everything does not. */
    cycle: async (told: Told | ArchiverError = {}) => {
      const archive = (_source: AgentSource, _plan: AgentPlan, { mayResend }: ArchiveLimits): Promise<UploadResult> => {
        if (told instanceof ArchiverError) return Promise.reject(told);
        if (!mayResend && told.changes?.comparedWith === 'none') return Promise.reject(new ArchiverError('held', 'no'));
        return Promise.resolve(resultOf(told));
      };
      const { failure } = await one.watch.run(source, { version: state.version } as AgentPlan, archive);
      const found = one.watch.findings([source]);
      expect(found.every(({ detail }) => detail.startsWith(`${path}: `))).toBe(true);
      return [failure === undefined ? 'ok' : (failure as ArchiverError).code, ...found.map(({ kind }) => kind)];
    },
  };
}

describe('a source that is gone', () => {
  test('is a failure when it is empty, in each cycle until its files are back', async () => {
    const { cycle, restart } = await world();
    expect(await cycle(FIRST)).toEqual(['ok']);
    expect(await cycle({ files: 0 })).toEqual(['mass-delete', 'source-empty']);
    restart();
    expect(await cycle({ files: 0 })).toEqual(['mass-delete', 'source-empty']);
    expect(await cycle({ files: 90 })).toEqual(['ok']);
  });

  test('is a failure when the store has files of it and nothing is remembered of it here', async () => {
    const { cycle } = await world();
    expect(await cycle({ files: 0 })).toEqual(['mass-delete', 'source-empty']);
  });

  test('is a finding when its folder is no more, or most of it would be recorded as deleted', async () => {
    const { cycle, path } = await world();
    await cycle(FIRST);
    expect(await cycle(new ArchiverError('mass-delete', '90 of 100 paths are gone'))).toEqual([
      'mass-delete',
      'source-shrunk',
    ]);
    rmSync(path, { recursive: true });
    expect(await cycle(new ArchiverError('not-found', 'no such folder'))).toEqual(['not-found', 'source-empty']);
  });

  test('is a finding when less than half is left of its files, or of their bytes', async () => {
    const { cycle } = await world();
    await cycle(FIRST);
    expect(await cycle({ files: 50 })).toEqual(['ok']);
    expect(await cycle({ files: 24 })).toEqual(['ok', 'source-shrunk']);
    expect(await cycle({ files: 24, changes: { noChanges: true } })).toEqual(['ok', 'source-shrunk']);
    expect(await cycle({ files: 50, bytes: 20_000 })).toEqual(['ok', 'source-shrunk']);
    expect(await cycle({ files: 50, measured: { bytes: undefined } })).toEqual(['ok']);
  });

  test('is none in a source of few files, in one that may shrink, and where the newest version says the same', async () => {
    const few = await world();
    await few.cycle({ ...FIRST, files: 9 });
    expect(await few.cycle({ files: 1 })).toEqual(['ok']);
    const spool = await world({ change: { mayShrink: true } });
    await spool.cycle(FIRST);
    expect(await spool.cycle({ files: 0 })).toEqual(['ok']);
    const recorded = await world();
    await recorded.cycle(FIRST);
    expect(await recorded.cycle({ files: 0, changes: { noChanges: true, gone: 0 } })).toEqual(['ok']);
  });

  test('is taken as it is after an answer, or by a config of a higher version, once it was told', async () => {
    const { cycle, answer, restart, state } = await world();
    await cycle(FIRST);
    await cycle({ files: 10 });
    restart();
    answer(['/elsewhere']);
    expect(await cycle({ files: 10 })).toEqual(['ok', 'source-shrunk']);
    answer();
    expect(await cycle({ files: 10 })).toEqual(['ok']);
    expect(await cycle({ files: 10 })).toEqual(['ok']);
    state.version = 2; // nothing was asked: it answers nothing
    expect(await cycle({ files: 0 })).toEqual(['mass-delete', 'source-empty']);
    restart();
    state.version = 3;
    expect(await cycle({ files: 0 })).toEqual(['ok']);
  });
});

describe('a path that leads elsewhere', () => {
  test('is refused from then on, until it leads back, somebody answers, or the config allows it', async () => {
    const moving = await world({ change: { mayMove: true } });
    const { cycle, path, answer, restart } = await world();
    for (const one of [moving, { cycle, path }]) {
      expect(await one.cycle(FIRST)).toEqual(['ok']);
      renameSync(one.path, `${one.path}-2`);
      symlinkSync(`${one.path}-2`, one.path);
    }
    expect(await moving.cycle()).toEqual(['ok']);
    expect(await cycle()).toEqual(['held', 'source-moved']);
    restart();
    expect(await cycle()).toEqual(['held', 'source-moved']);
    answer();
    expect(await cycle({ ...FIRST, datasetId: 'data-2' })).toEqual(['ok']);
    expect(await cycle({ datasetId: 'data-2' })).toEqual(['ok']);
  });

  test('is one on another file system, by mount, type or UUID; what is not known is not compared', () => {
    const was: Place = { real: '/data', mount: '/data', type: 0xef53, uuid: 'a' };
    expect(movedText(was, was)).toBeUndefined();
    expect(movedText(was, { ...was, uuid: null })).toBeUndefined();
    expect(movedText(was, { ...was, mount: '/' })).toBe('lies on the file system at / (a), and lay on at /data (a)');
    expect(movedText(was, { ...was, type: 0x6969, uuid: null })).toContain('at /data (type 0x6969)');
    expect(movedText(was, { ...was, uuid: 'b' })).toContain('at /data (b)');
    expect(movedText(was, { ...was, real: '/srv' })).toBe('leads to /srv, and led to /data');
  });
});

describe('what is sent again', () => {
  test('is told until it is answered, and a second time it is held back; changes are sent all the while', async () => {
    const { cycle, answer, restart } = await world();
    await cycle(FIRST);
    expect(await cycle(WHOLE)).toEqual(['ok', 'sent-again']);
    restart();
    expect(await cycle()).toEqual(['ok', 'sent-again']);
    for (let at = 0; at < 3; at++) expect(await cycle(WHOLE)).toEqual(['held', 'sent-again', 'held']);
    restart();
    expect(await cycle(WHOLE)).toEqual(['held', 'sent-again', 'held']);
    answer();
    expect(await cycle(WHOLE)).toEqual(['ok']);
    expect(await cycle()).toEqual(['ok']);
    expect(await cycle(WHOLE)).toEqual(['ok', 'sent-again']);
  });

  test('is released by a config of a higher version', async () => {
    const { cycle, state } = await world();
    await cycle(FIRST);
    await cycle(WHOLE);
    state.version = 2;
    expect(await cycle(WHOLE)).toEqual(['ok']);
  });

  test('is told of a machine that remembers nothing of what it has sent, and not where nothing else is possible', async () => {
    expect(await (await world()).cycle(WHOLE)).toEqual(['ok', 'sent-again']);
    const forgetful = await world({ isResendExpected: true });
    for (let at = 0; at < 3; at++) expect(await forgetful.cycle(WHOLE)).toEqual(['ok']);
  });

  test('because a prune rewrote the newest record is told once, and held back a second time within a week', async () => {
    const { cycle, state } = await world();
    const rewritten = { ...WHOLE, measured: { isRewritten: true, packed: { files: 1, bytes: 1000 } } };
    await cycle(FIRST);
    expect(await cycle(rewritten)).toEqual(['ok', 'sent-again']);
    expect(await cycle()).toEqual(['ok']);
    state.now = new Date(NOW.getTime() + 6 * 86_400_000);
    expect(await cycle(rewritten)).toEqual(['held', 'held']);
    state.now = new Date(NOW.getTime() + 8 * 86_400_000);
    expect(await cycle(rewritten)).toEqual(['ok', 'sent-again']);
  });

  test('by a changed endpoint, or as another dataset, is told and sent once; not where the config says so', async () => {
    const { cycle, state } = await world();
    await cycle(FIRST);
    state.store = 's3://b at http://other';
    expect(await cycle(FIRST)).toEqual(['ok', 'endpoint-changed']);
    state.store = 's3://b at http://third';
    expect(await cycle(FIRST)).toEqual(['held', 'endpoint-changed', 'held']);
    const other = await world();
    await other.cycle(FIRST);
    expect(await other.cycle({ ...FIRST, datasetId: 'data-2' })).toEqual(['ok', 'dataset-changed']);
    expect(await other.cycle({ ...FIRST, datasetId: 'data-3' })).toEqual(['held', 'dataset-changed', 'held']);
    const moved = await world();
    await moved.cycle(FIRST);
    Object.assign(moved.state, { store: 's3://c', version: 2 });
    expect(await moved.cycle(FIRST)).toEqual(['ok']);
  });
});

describe('a source that is encrypted', () => {
  const modified = { modified: 60, unchanged: 40 };
  test.each([
    [
      'in place, so that it no longer compresses',
      { storedBytes: 60_000, changes: modified, measured: { packed: { files: 60, bytes: 60_000 } } },
      true,
    ],
    [
      'under new suffixes',
      {
        storedBytes: 10,
        changes: { added: 60, gone: 60 },
        measured: { packed: { files: 60, bytes: 60_000 }, suffixed: 60 },
      },
      true,
    ],
    [
      'under new names',
      { storedBytes: 60_000, changes: { added: 60, gone: 60 }, measured: { packed: { files: 60, bytes: 60_000 } } },
      true,
    ],
    [
      'by less than half',
      { storedBytes: 40_000, changes: { modified: 40 }, measured: { packed: { files: 40, bytes: 40_000 } } },
      false,
    ],
    [
      'not at all: it compresses as before',
      { storedBytes: 30_000, changes: modified, measured: { packed: { files: 60, bytes: 60_000 } } },
      false,
    ],
    [
      'not at all: of most only the times changed',
      { storedBytes: 1000, changes: modified, measured: { packed: { files: 1, bytes: 900 } } },
      false,
    ],
    ['not at all: only its modes changed', { changes: modified }, false],
  ])('%s', async (_, told, isFound) => {
    const { cycle, restart, answer } = await world();
    await cycle(FIRST);
    expect(await cycle(told)).toEqual(isFound ? ['ok', 'mass-change'] : ['ok']);
    restart();
    expect(await cycle({ changes: { noChanges: true } })).toEqual(isFound ? ['ok', 'mass-change'] : ['ok']);
    answer();
    expect(await cycle()).toEqual(['ok']);
  });

  test('from the share on that the config says, and never with 100', async () => {
    const told = { storedBytes: 30_000, changes: { modified: 30 }, measured: { packed: { files: 30, bytes: 30_000 } } };
    const strict = await world({ change: { maxChangedPercent: 30 } });
    await strict.cycle(FIRST);
    expect(await strict.cycle(told)).toEqual(['ok', 'mass-change']);
    const off = await world({ change: { maxChangedPercent: 100 } });
    await off.cycle(FIRST);
    expect(
      await off.cycle({
        storedBytes: 100_000,
        changes: { modified: 100 },
        measured: { packed: { files: 100, bytes: 100_000 } },
      }),
    ).toEqual(['ok']);
  });

  test('of content that never compressed only where it was rewritten in place', async () => {
    const photos = await world();
    await photos.cycle({ ...FIRST, storedBytes: 100_000 });
    const sent = { storedBytes: 60_000, measured: { packed: { files: 60, bytes: 60_000 } } };
    expect(await photos.cycle({ ...sent, changes: { added: 60, gone: 60 } })).toEqual(['ok']);
    expect(await photos.cycle({ ...sent, changes: { ...modified, gone: 60 } })).toEqual(['ok', 'mass-change']);
  });
});

test('an agent finds of itself a refused config, a clone, and a clock that is wrong by five minutes', () => {
  const facts = { configError: undefined, clone: undefined, clockAheadMs: 299_000 };
  expect(agentFindings(facts)).toEqual([]);
  const found = agentFindings({
    configError: 'it is older',
    clone: 'another process writes',
    clockAheadMs: -3_600_000,
  });
  expect(found.map(({ kind }) => kind)).toEqual(['config-refused', 'cloned', 'clock-skewed']);
  expect(found[2]?.detail).toBe("its clock is 60 minutes behind the store's: set it");
});
