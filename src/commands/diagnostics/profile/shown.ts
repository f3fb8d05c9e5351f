// Profile files as JSON and as a table.
import type { ProfileFile } from '../../../core/diagnostics/observe/profile-files.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatBytes } from '../../../ui/format.js';
import { minuteText } from '../../kit/lines.js';
import { column, numbers, tableText, type TableContext } from '../../kit/table.js';

export const profileDocuments = (profiles: readonly ProfileFile[]) =>
  profiles.map(({ path, form, bytes, modifiedAt }) => ({
    file: path,
    profileForm: form,
    bytes,
    mtime: modifiedAt.toISOString(),
  }));

/** Formats the files as a table; empty with `--json`. */
export const profileText = async (profiles: readonly ProfileFile[], context: TableContext): Promise<string> =>
  await tableText(
    profiles,
    [
      column('FILE', ({ path }) => printable(path)),
      column('FORM', ({ form }) => form),
      numbers('SIZE', ({ bytes }) => formatBytes(bytes)),
      { ...column<ProfileFile>('WRITTEN', ({ modifiedAt }) => minuteText(modifiedAt.toISOString())), isMoment: true },
    ],
    context,
  );
