// The public interface of the engine: other programs import it as `zstd-archiver/engine`. Plain objects in and out; no environment, no
// terminal, no working folder of the process, and no exit. See docs/api.md and docs/decisions/061.
export { ArchiverError, type ErrorCode, isArchiverError } from '../core/platform/failures/errors.js';
export { archive, type ArchiveOptions, type ArchiveResult, type Changes, sync, type SyncOptions } from './archive.js';
export { find, type FindOptions, type FindResult, type FoundPath } from './find.js';
export * from './list.js';
export type { CallOptions, EngineEvent, FileChoice, Store, VersionChoice } from './options.js';
export * from './prune.js';
export * from './restore.js';
export { openStore, type StoreKeys, type StoreOptions } from './store.js';
export * from './verify.js';
