// Paths that belong to DVC or git, and that DVC refuses to track.
import { type RawPath, rawFromText, withEnd } from '../../platform/paths/raw-path.js';

const SIDECAR = rawFromText('.dvc');

const OWN_FOLDER = /(?:^|\/)(?:\.dvc|\.git|\.hg)(?:\/|$)/;
const OWN_FILE = /(?:^|\/)(?:dvc\.yaml|dvc\.lock|\.dvcignore|\.git(?:ignore|attributes|modules))$|\.dvc$/;

/** True for a path that DVC always ignores, even in a folder that it tracks. */
export const isInOwnFolder = (path: RawPath): boolean => OWN_FOLDER.test(path);

/** True for a path that gets no `.dvc` file. */
export const isUntrackable = (path: RawPath): boolean => isInOwnFolder(path) || OWN_FILE.test(path);

/** Returns the path of the `.dvc` file beside a file or a folder. */
export const sidecarOf = (path: RawPath): RawPath => withEnd(path, SIDECAR);
