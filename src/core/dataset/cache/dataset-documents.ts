// Hints about datasets that save work, one small file each beside the cached manifests: a file that cannot be used counts as none.
import { readFile } from 'node:fs/promises';
import { isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { encodeStateDocument, readStateDocument, type StateSchema } from '../../platform/state/document.js';
import { replaceFile } from '../../platform/state/replace-file.js';
import { datasetFile } from './dataset-file.js';

export interface DatasetDocuments<T> {
  get(baseUrl: string, datasetId: string): Promise<T | undefined>;
  put(baseUrl: string, datasetId: string, body: object): Promise<void>;
}

/** Where they are kept, whom trouble with it is told, and the server that the stores are on. */
export interface DocumentsPlace {
  readonly folder: string;
  readonly onTrouble: (text: string) => void;
  readonly server?: string | undefined;
}

/** The documents of one kind, whose files are named `suffix`. One that cannot be written is reported. */
export function openDatasetDocuments<T>(
  { folder, onTrouble, server }: DocumentsPlace,
  kind: StateSchema<T>,
  suffix: string,
): DatasetDocuments<T> {
  const pathOf = (baseUrl: string, datasetId: string): string =>
    datasetFile(folder, { server, baseUrl, datasetId }, suffix);
  return {
    async get(baseUrl, datasetId) {
      const path = pathOf(baseUrl, datasetId);
      try {
        return readStateDocument(await readFile(path, 'utf8'), kind, { path, hint: '' });
      } catch (error) {
        if (systemCode(error) === undefined && !isArchiverError(error, 'integrity', 'unsupported')) throw error;
        return undefined; // found out again, and then it is replaced
      }
    },
    async put(baseUrl, datasetId, body) {
      try {
        await replaceFile(pathOf(baseUrl, datasetId), encodeStateDocument(kind, body));
      } catch (error) {
        onTrouble(unwritable(folder, error));
      }
    },
  };
}

/** What is said of a folder that takes no hints. */
export const unwritable = (folder: string, error: unknown): string =>
  `the manifest cache in ${folder} cannot be written (${systemCode(error) ?? 'unknown reason'})`;
