// What DVC takes for its own or for git's, and refuses to track.
import { type RawPath, rawFromText, withEnd } from '../../platform/paths/raw-path.js';

const SIDECAR = rawFromText('.dvc');

const OWN_FOLDER = /(?:^|\/)(?:\.dvc|\.git|\.hg)(?:\/|$)/;
const OWN_FILE = /(?:^|\/)(?:dvc\.yaml|dvc\.lock|\.dvcignore)$|\.dvc$/;

/** True for a path that DVC never looks at, also where it tracks a folder around it. */
export const isInOwnFolder = (path: RawPath): boolean => OWN_FOLDER.test(path);

/** True for a path that no `.dvc` file is made for. */
export const isUntrackable = (path: RawPath): boolean => isInOwnFolder(path) || OWN_FILE.test(path);

/** The `.dvc` file beside a file or a folder. */
export const sidecarOf = (path: RawPath): RawPath => withEnd(path, SIDECAR);
