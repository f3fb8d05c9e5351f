import { hash } from 'node:crypto';
import { loadOpened, type LoadedManifest } from '../../src/core/format/manifest/loaded-manifest.js';
import { asUploadId } from './as-upload-id.js';

/** A link of a chain from the stored bytes of a manifest that is not encrypted. */
export const loadManifest = (uploadId: string, bytes: Buffer): Promise<LoadedManifest> =>
  loadOpened(asUploadId(uploadId), { bytes }, hash('sha256', bytes, 'hex'));
