// Files that are created under their own names in a folder that was empty, and what becomes of one that a killed restore has not finished.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ownHolder } from '../../../../src/core/platform/state/lock-holder.js';
import { LibcTree } from '../../../../src/core/restore/output-tree/libc-tree.js';
import { openFolder } from '../../../../src/core/restore/output-tree/output-folder.js';
import { openTree } from '../../../../src/core/restore/output-tree/open-tree.js';
import { openTable, TableBuilder } from '../../../../src/core/restore/plan/selected-table.js';
import { FileSink } from '../../../../src/core/restore/write/file-sink.js';
import { FolderNote, unfinishedFiles } from '../../../../src/core/restore/write/folder-note.js';
import { makeArchive } from '../../../support/make-archive.js';
import { raw } from '../../../support/raw.js';
import { restoreMade } from '../../../support/restore-made.js';
import { tempFolder } from '../../../support/temp-folder.js';

const names = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String).sort();
const countRenames = () => {
  const renaming = vi.spyOn(LibcTree.prototype, 'rename');
  onTestFinished(() => renaming.mockRestore());
  return () => renaming.mock.calls.length;
};

describe('a sink', () => {
  /** A sink for two files in a folder, one small and one of `LARGE` bytes. */
  const LARGE = 70_000;
  function openSink(path: string) {
    const builder = new TableBuilder();
    const time = { seconds: 1, nanos: 0 };
    const common = { type: 'file' as const, mode: 0o644, uid: 0, gid: 0, mtime: time, ctime: time, inode: raw('') };
    builder.add({ ...common, path: raw('deep/small'), size: 5, chunk: 0, offset: 0 });
    builder.add({ ...common, path: raw('deep/large'), size: LARGE, chunk: 0, offset: 1024 });
    const output = openFolder({ path, flatten: false, keepSpecialBits: false });
    onTestFinished(() => output.close());
    const settings = { ...output.settings, tempName: raw(`${output.settings.tempName}0-`) };
    return new FileSink(openTable(builder.data()), output.tree, settings, true);
  }
  const small = Buffer.from('small');
  const large = Buffer.alloc(LARGE, 'large');

  test('gives small files their names at once where the folder was empty, and says where until it ends', async () => {
    const out = await tempFolder();
    const sink = openSink(out);
    const renames = countRenames();

    sink.whole(0, small, undefined, true);
    const renamed = [renames()];
    sink.whole(1, large, undefined, true);
    renamed.push(renames());
    const between = names(out);
    sink.dispose();

    expect(renamed).toEqual([0, 1]);
    expect(between).toEqual([
      expect.stringMatching(/^\.archiver-[0-9a-f]{8}-0-\.note$/),
      'deep',
      'deep/large',
      'deep/small',
    ]);
    expect(names(out)).toEqual(['deep', 'deep/large', 'deep/small']);
  });

  test('gives them temporary names elsewhere', async () => {
    const out = await tempFolder();
    writeFileSync(join(out, 'mine'), '');
    const sink = openSink(out);
    const renames = countRenames();

    sink.whole(0, small, undefined, true);

    expect([renames(), names(out)]).toEqual([1, ['deep', 'deep/small', 'mine']]);
    sink.dispose();
  });

  test('replaces what somebody has put there meanwhile', async () => {
    const out = await tempFolder();
    const sink = openSink(out);
    mkdirSync(join(out, 'deep'));
    writeFileSync(join(out, 'deep/small'), 'of somebody else');

    sink.whole(0, small, undefined, true);
    sink.dispose();

    expect([names(out), readFileSync(join(out, 'deep/small'), 'utf8')]).toEqual([['deep', 'deep/small'], 'small']);
  });

  test('gives temporary names to files with attributes, which get their time before those', async () => {
    const out = await tempFolder();
    const sink = openSink(out);
    const renames = countRenames();

    sink.whole(0, small, { xattrs: new Map() }, true);

    expect([renames(), names(out)]).toEqual([1, ['deep', 'deep/small']]);
    sink.dispose();
  });

  test('misses a file that was removed while its process was stopped', async () => {
    const out = await tempFolder();
    const sink = openSink(out);
    const clock = vi.spyOn(Date, 'now').mockReturnValue(0);
    const stopping = vi.spyOn(LibcTree.prototype, 'close').mockImplementation(() => {
      clock.mockReturnValue(61_000);
      rmSync(join(out, 'deep/small'));
    });
    onTestFinished(() => [stopping, clock].forEach((spy) => spy.mockRestore()));

    expect(() => sink.whole(0, small, undefined, true)).toThrow(
      'removed by another restore while this one was stopped',
    );
  });

  test('leaves nothing of a file that cannot be written', async () => {
    const out = await tempFolder();
    const sink = openSink(out);
    const describing = vi.spyOn(LibcTree.prototype, 'describe').mockImplementation(() => {
      throw new Error('not written');
    });
    onTestFinished(() => describing.mockRestore());

    expect(() => sink.whole(0, small, undefined, true)).toThrow('not written');
    sink.dispose();

    expect(names(out)).toEqual(['deep']);
  });
});

test('a note is written again for another folder, and after ten seconds', async () => {
  const out = await tempFolder();
  const output = openFolder({ path: out, flatten: false, keepSpecialBits: false });
  onTestFinished(() => output.close());
  const clock = vi.spyOn(Date, 'now');
  onTestFinished(() => clock.mockRestore());
  const note = new FolderNote(output.tree, raw('own-'));
  const path = join(out, 'own-.note');
  /** Whether it was written when the clock says so. */
  const isWritten = (atMs: number, folder: string): boolean => {
    if (existsSync(path)) utimesSync(path, 1, 1);
    clock.mockReturnValue(atMs);
    note.enter(raw(folder));
    return statSync(path).mtimeMs !== 1000;
  };

  const written = [isWritten(0, 'a'), isWritten(9999, 'a'), isWritten(10_000, 'a'), isWritten(10_001, 'b')];

  expect(written).toEqual([true, false, true, true]);
  const stale = [70_001, 70_002].map((atMs) => {
    clock.mockReturnValue(atMs);
    return note.isStale;
  });
  expect(stale).toEqual([false, true]);
  note.remove();
  expect(names(out)).toEqual([]);
});

describe('what a killed restore has not finished', () => {
  const archive = () =>
    makeArchive({
      files: [
        { path: 'deep', type: 'directory' },
        { path: 'deep/file', content: 'content' },
        { path: 'deep/other', content: 'other' },
      ],
    });

  /** An output folder in which a killed restore was writing to `deep/file`, and the name of its note. */
  async function killed({ note = 'deep' } = {}) {
    const out = join(await tempFolder(), 'out');
    mkdirSync(join(out, 'deep'), { recursive: true });
    const output = openFolder({ path: out, flatten: false, keepSpecialBits: false });
    const name = raw('.archiver-0123abcd-0-');
    new FolderNote(output.tree, name).enter(raw(note));
    writeFileSync(join(out, 'deep/file'), 'con');
    output.close();
    const pid = spawnSync(process.execPath, ['-e', '']).pid;
    const holder = { ...ownHolder(hostname()), pid, start: 'boot:1' };
    writeFileSync(join(out, '.archiver-0123abcd-lock'), JSON.stringify(holder));
    return { out, note: join(out, `${name}.note`) };
  }
  const leftNames = ['.archiver-0123abcd-0-.note', '.archiver-0123abcd-lock'];
  const selectingOther = { selectors: { files: [raw('deep/other')] } };

  test.each(['never', 'if-newer', 'if-changed'] as const)('is written again with --overwrite %s', async (overwrite) => {
    const { out } = await killed();

    const result = await restoreMade(archive(), { outputDir: out, overwrite });

    expect(result).toMatchObject({ files: 2, skipped: 0, failed: [] });
    expect(names(out)).toEqual(['deep', 'deep/file', 'deep/other']);
    expect(readFileSync(join(out, 'deep/file'), 'utf8')).toBe('content');
  });

  test('goes when it is empty and not selected', async () => {
    const { out } = await killed();
    writeFileSync(join(out, 'deep/file'), '');

    const { warnings } = await restoreMade(archive(), { outputDir: out, ...selectingOther });

    expect([names(out), warnings]).toEqual([['deep', 'deep/other'], []]);
  });

  // It may be somebody else's, or whole, of an archive that was made a moment before it was restored.
  test.each([
    [['file'], 'deep/file may not be whole: a restore that was killed was writing there'],
    [['file', 'mine'], 'deep/file and 1 other file may not be whole'],
  ])('stays when it has content and is not selected, and is named: %j', async (left, text) => {
    const { out } = await killed();
    for (const name of left) writeFileSync(join(out, 'deep', name), name);

    const { warnings } = await restoreMade(archive(), { outputDir: out, ...selectingOther });

    expect(names(join(out, 'deep'))).toEqual([...left, 'other']);
    for (const name of left) expect(readFileSync(join(out, 'deep', name), 'utf8')).toBe(name);
    expect(warnings).toEqual([expect.stringContaining(text)]);
  });

  test('stays while the restore may still run', async () => {
    const { out } = await killed();
    writeFileSync(join(out, '.archiver-0123abcd-lock'), JSON.stringify(ownHolder(hostname())));

    await restoreMade(archive(), { outputDir: out, ...selectingOther });

    expect(names(out)).toEqual([...leftNames, 'deep', 'deep/file', 'deep/other']);
  });

  test('stays while another restore runs there, and goes with the next one', async () => {
    const { out } = await killed();
    writeFileSync(join(out, 'deep/file'), '');
    const other = join(out, '.archiver-89abcdef-lock');
    writeFileSync(other, JSON.stringify(ownHolder(hostname())));

    await restoreMade(archive(), { outputDir: out, ...selectingOther });
    const between = names(out);
    rmSync(other);
    await restoreMade(archive(), { outputDir: out, ...selectingOther });

    expect(between).toEqual([...leftNames, '.archiver-89abcdef-lock', 'deep', 'deep/file', 'deep/other']);
    expect(names(out)).toEqual(['deep', 'deep/other']);
  });

  test('may lie at the top', async () => {
    const { out } = await killed({ note: '' });
    writeFileSync(join(out, 'half'), '');

    const locks: string[] = [];
    await restoreMade(archive(), {
      outputDir: out,
      ...selectingOther,
      emit: (event) => {
        if (event.type === 'phase') locks.push(...readdirSync(out).filter((name) => name.endsWith('-lock')));
      },
    });

    expect(names(out)).toEqual(['deep', 'deep/file', 'deep/other']);
    expect(locks.at(-1)).toMatch(/^\.archiver-(?!0123abcd)/);
  });

  test('is none of the files that are older than the note, or much newer', async () => {
    const { out } = await killed();
    writeFileSync(join(out, 'deep/file'), '');
    const now = Date.now() / 1000;
    for (const [name, time] of [
      ['old', now - 100],
      ['new', now + 100],
      ['linked', now],
    ] as const) {
      if (name === 'linked') symlinkSync('nowhere', join(out, 'deep', name));
      else {
        writeFileSync(join(out, 'deep', name), '');
        utimesSync(join(out, 'deep', name), time, time);
      }
    }

    await restoreMade(archive(), { outputDir: out, ...selectingOther });

    expect(names(out)).toEqual(['deep', 'deep/linked', 'deep/new', 'deep/old', 'deep/other']);
  });

  test.each(['../outside', 'gone', 'link', 'deep/file'])('is not looked for in %s', async (note) => {
    const { out } = await killed({ note });
    const outside = join(out, '../outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'file'), '');
    symlinkSync(outside, join(out, 'link'));

    const { failed } = await restoreMade(archive(), { outputDir: out, ...selectingOther });

    expect([failed, names(outside), names(join(out, 'deep'))]).toEqual([[], ['file'], ['file', 'other']]);
  });

  test('is not looked for above the folder without libc either', async () => {
    const { out } = await killed({ note: '../outside' });
    mkdirSync(join(out, '../outside'));
    writeFileSync(join(out, '../outside/file'), '');
    const output = openFolder({ path: out, flatten: false, keepSpecialBits: false });
    onTestFinished(() => output.close());

    const tree = openTree({ ...output.settings, rootFd: undefined });
    const found = unfinishedFiles({ settings: output.settings, tree }, ['.archiver-0123abcd-']);

    expect([tree.timeDigits, found]).toEqual([6, []]);
  });

  test('is not known of a restore that died before it had noted anything', async () => {
    const { out, note } = await killed();
    writeFileSync(note, '');
    writeFileSync(join(out, 'mine'), '');

    const { failed } = await restoreMade(archive(), { outputDir: out, ...selectingOther });

    expect([failed, names(out)]).toEqual([[], ['deep', 'deep/file', 'deep/other', 'mine']]);
  });

  test('goes at the end when only a thread has died', async () => {
    const out = await tempFolder();
    const restoring = restoreMade(archive(), {
      outputDir: out,
      emit: (event) => {
        if (event.type !== 'phase' || event.phase !== 'finishing') return;
        const lock = readdirSync(out).find((name) => name.endsWith('-lock')) ?? '';
        writeFileSync(join(out, lock.replace(/lock$/, '7-.note')), 'deep\0');
        writeFileSync(join(out, 'deep/half'), '');
        writeFileSync(join(out, 'deep/mine'), 'my own');
        utimesSync(join(out, 'deep/file'), new Date(), new Date()); // as of an archive that was made a moment before
        writeFileSync(join(out, 'deep', lock.replace(/lock$/, '7-1')), '');
        throw new Error('a thread has died');
      },
    });

    await expect(restoring).rejects.toThrow('a thread has died');
    expect(names(out)).toEqual(['deep', 'deep/file', 'deep/mine', 'deep/other']);
  });
});
