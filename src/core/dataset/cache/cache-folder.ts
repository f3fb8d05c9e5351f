import { join } from 'node:path';

/** Folder in archiver's own folder for what this computer remembers of stores. */
export const cacheFolder = (home: string): string => join(home, 'manifest-cache');
