// The flags of `upload --remove-source-after verify`.
import { flag, type Values } from '../../cli/flag.js';
import { conflictsAcrossLayers, requires } from '../../cli/rule.js';

/** Flags about removing what was uploaded. */
export const removeFlags = {
  removeSourceAfter: flag.choice(['verify'], {
    describe: 'remove what was uploaded once it was read back; asks first, or takes --yes',
  }),
  receipt: flag.file({
    placeholder: 'FILE',
    describe: 'where it is written down what was removed; by default in ~/.archiver/receipts',
  }),
};

/** Rules for `removeFlags`. */
export const removeRules = [
  requires('receipt', 'removeSourceAfter'),
  conflictsAcrossLayers('removeSourceAfter', ['dryRun']),
  {
    kind: 'check',
    text: '--remove-source-after needs the MD5 of every file: leave out --no-file-checksums',
    ok: (v: { readonly removeSourceAfter: string | undefined; readonly fileChecksums: boolean }) =>
      v.removeSourceAfter === undefined || v.fileChecksums,
  },
] as const;

/** For the description of the command. */
export const REMOVING =
  'With --remove-source-after verify, every chunk of the new version is read back from the store once it is committed, whichever ' +
  'upload holds it; only if all of it is sound is each file compared (size, times, inode, and its content read again), and removed. What has changed or come ' +
  'since stays and is named (exit status 3), and so do special files and SOURCE itself; folders go when they are empty. A receipt names everything that ' +
  'is removed before anything is. `archiver sync` has no such flag: the next sync would record all of it as deleted.';

export type RemoveValues = Values<typeof removeFlags>;
