// Configs of fleet writers for tests.
import { stringify } from 'yaml';

const LEAST = { version: 1, writer_id: 'web-01', store: 's3://acme-archive/lab', watch_paths: [{ path: '/data' }] };

/** The text of a config, as `{ version: 1, … }` with these keys changed; undefined leaves one out. */
export const yamlOf = (changes: Readonly<Record<string, unknown>> = {}): string => stringify({ ...LEAST, ...changes });
