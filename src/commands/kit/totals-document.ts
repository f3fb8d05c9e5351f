// The totals of a manifest or a version as JSON, where `skipped` is a list and `skippedCount` its length.
import type { Totals } from '../../core/format/manifest/manifest-types.js';

/** The totals with the keys of docs/json.md. */
export const totalsDocument = ({ skipped, ...totals }: Totals) => ({ ...totals, skippedCount: skipped });
