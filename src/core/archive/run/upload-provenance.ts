// Facts about git and DVC that an upload records: in the head of its manifest, and with every entry.
import type { LineSources } from '../../format/manifest/entry-line.js';
import type { DvcRecord, GitRecord } from '../../format/manifest/provenance-schema.js';
import type { Provenance } from '../../format/manifest/provenance.js';
import { readAccountNames } from '../scan/account-names.js';

export interface UploadProvenance {
  readonly git?: GitRecord | undefined;
  readonly dvc?: DvcRecord | undefined;
  readonly ofEntries: Provenance;
}

/** Returns what the lines of an upload's entries say besides what was scanned. */
export const lineSources = (provenance: UploadProvenance | undefined): LineSources => ({
  ...readAccountNames(),
  provenance: provenance?.ofEntries,
});
