// Recognizes the keys below a base that this program wrote. Every other key is foreign and is never deleted; docs/format.md and
// docs/architecture.md have the layout.
import { ANSWER_KEY } from '../store/create-once/remembered-answers.js';
import { isWellFormedKey } from '../store/ids/key-form.js';
import { MANIFEST_NAME, splitUploadKey, uploadFolder } from '../store/ids/upload-id.js';

/** Kind of a key, in the order in which objects may be deleted: a record names a manifest, a manifest names chunks. */
export type OwnKind = 'record' | 'manifest' | 'rest';

export interface OwnKey {
  readonly kind: OwnKind;
  /** The part of the store that the key belongs to: '' for the base itself, `writers/<id>/`, `fleet/<id>/`. */
  readonly area: string;
  /** `<area>uploads/<id>`, when the key belongs to an upload. */
  readonly upload?: string;
  /** `<area>datasets/<id>`, when the key belongs to a dataset. */
  readonly dataset?: string;
}

const RECORD =
  /^(datasets\/[A-Za-z0-9][A-Za-z0-9._-]{0,127})\/(?:v\d{8,}(?:\.\d{8}-\d{6}-[0-9a-f]{8})?|prune-[0-9a-f]{8}|tags\/v\d{8,}\.[A-Za-z0-9][A-Za-z0-9._-]*|checks\/\d{8}-\d{6}-[0-9a-f]{8}\.(?:listing|deep|drill)\.(?:ok|failed))\.json$/;
const WRITER = /^writers\/[A-Za-z0-9][A-Za-z0-9._-]{0,63}\//;
const FLEET = /^(fleet\/[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/)config\.yaml(?:\.sig)?$/;
/** The heartbeat, and the versions of its config that a writer has used. */
const OF_AGENT = /^(?:status\.json|config-v\d{8,16}(?:\.[0-9a-f]{16}\.[\w-]{86})?)$/;
/** Temporary files and locks of a folder store, which lie beside their target. */
const TEMPORARY =
  /^(?:datasets\/[A-Za-z0-9][A-Za-z0-9._-]*\/(?:(?:tags|checks)\/)?)?(?:\.archiver~(?:tmp|lock)-[0-9a-f]{16}[^/]*\/?)+$/;

function inArea(key: string, area: string): OwnKey | undefined {
  const below = key.slice(area.length);
  const { uploadId, name = '' } = splitUploadKey(below) ?? {};
  if (uploadId !== undefined) {
    if (name === '') return undefined; // a folder marker, as consoles create them
    const isManifest = name.startsWith(MANIFEST_NAME);
    return { kind: isManifest ? 'manifest' : 'rest', area, upload: area + uploadFolder(uploadId).slice(0, -1) };
  }
  if (below === ANSWER_KEY || TEMPORARY.test(below)) return { kind: 'rest', area };
  const dataset = RECORD.exec(below)?.[1];
  return dataset === undefined ? undefined : { kind: 'record', area, dataset: area + dataset };
}

/** Classifies a key relative to the base. Returns undefined when this program did not write it. */
export function ownKey(key: string): OwnKey | undefined {
  if (!isWellFormedKey(key)) return undefined;
  const fleet = FLEET.exec(key)?.[1];
  if (fleet !== undefined) return { kind: 'rest', area: fleet };
  const writer = WRITER.exec(key)?.[0];
  if (writer === undefined) return inArea(key, '');
  return OF_AGENT.test(key.slice(writer.length)) ? { kind: 'rest', area: writer } : inArea(key, writer);
}

const NESTED = /^(.+?)\/(?:uploads|datasets|writers|fleet)\//s;

/** The nested base that a foreign key seems to belong to: `lab` for `lab/uploads/<upload id>/…`. */
export function nestedBase(key: string): string | undefined {
  const base = NESTED.exec(key)?.[1];
  return base !== undefined && ownKey(key.slice(base.length + 1)) !== undefined ? base : undefined;
}
