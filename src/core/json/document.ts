// JSON that this program prints for other programs; docs/json.md says what the keys mean.

/** Counts up when a key goes away or changes its meaning; keys may be added without. */
export const SCHEMA_VERSION = 1;

/** The document as one line. */
export const documentLine = (document: object): string =>
  `${JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...document })}\n`;
