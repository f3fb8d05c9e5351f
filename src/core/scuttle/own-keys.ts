// Which keys below a base this program wrote. Everything else is somebody else's and is never deleted; docs/format.md
// and docs/architecture.md have the layout.
import { UPLOAD_ID } from '../manifest/upload-id.js';

/** What a key of ours is for, in the order in which things may go: a record names a manifest, a manifest names chunks. */
export type OwnKind = 'record' | 'manifest' | 'rest';

export interface OwnKey {
  readonly kind: OwnKind;
  /** What stands and falls together: '' for the base itself, `writers/<id>/`, `fleet/<id>/`. */
  readonly area: string;
  /** `<area>uploads/<id>`, when it belongs to an upload. */
  readonly upload?: string;
  /** `<area>datasets/<id>`, when it belongs to a dataset. */
  readonly dataset?: string;
}

const UPLOAD = new RegExp(`^uploads/${UPLOAD_ID}/`);
const RECORD = /^(datasets\/[A-Za-z0-9][A-Za-z0-9._-]*)\/(?:v\d{8,}|prune-[0-9a-f]{8})\.json$/;
const WRITER = /^writers\/[A-Za-z0-9][A-Za-z0-9._-]{0,63}\//;
const FLEET = /^(fleet\/[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/)config\.yaml(?:\.sig)?$/;
const MANIFEST = 'manifest.json.gz';

function inArea(key: string, area: string): OwnKey | undefined {
  const below = key.slice(area.length);
  const upload = UPLOAD.exec(below)?.[0];
  if (upload !== undefined) {
    const name = below.slice(upload.length);
    if (name === '') return undefined; // a folder marker that somebody's console made
    const isManifest = name.startsWith(MANIFEST);
    return { kind: isManifest ? 'manifest' : 'rest', area, upload: area + upload.slice(0, -1) };
  }
  const dataset = RECORD.exec(below)?.[1];
  return dataset === undefined ? undefined : { kind: 'record', area, dataset: area + dataset };
}

/** What this key, relative to the base, is of ours; undefined when it is not. */
export function ownKey(key: string): OwnKey | undefined {
  const fleet = FLEET.exec(key)?.[1];
  if (fleet !== undefined) return { kind: 'rest', area: fleet };
  const writer = WRITER.exec(key)?.[0];
  if (writer === undefined) return inArea(key, '');
  return key === `${writer}status.json` ? { kind: 'rest', area: writer } : inArea(key, writer);
}

const NESTED = /^(.+?)\/(?:uploads|datasets|writers|fleet)\//;

/** A base further down that a foreign key looks like being part of: `lab` for `lab/uploads/<upload id>/…`. */
export function nestedBase(key: string): string | undefined {
  const base = NESTED.exec(key)?.[1];
  return base !== undefined && ownKey(key.slice(base.length + 1)) !== undefined ? base : undefined;
}
