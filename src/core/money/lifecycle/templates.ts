// The templates of lifecycle rules for chunks.
import type { RuleTransition } from '../../store/bucket-lifecycle.js';

export const TEMPLATES = ['archive-optimization', 'intelligent-tiering'] as const;
export type TemplateName = (typeof TEMPLATES)[number];

export interface Template {
  readonly template: TemplateName;
  readonly summary: string;
  /** `Days` are counted from the upload. */
  readonly transitions: readonly (RuleTransition & { readonly Days: number })[];
}

/** GLACIER is left only after its 90 days, so that no move pays for early deletion. */
const ARCHIVE: Template = {
  template: 'archive-optimization',
  summary: 'chunks go to GLACIER after 30 days and to DEEP_ARCHIVE after 180; reading them takes hours from then on',
  transitions: [
    { Days: 30, StorageClass: 'GLACIER' },
    { Days: 180, StorageClass: 'DEEP_ARCHIVE' },
  ],
};
const TIERING: Template = {
  template: 'intelligent-tiering',
  summary: 'chunks go to INTELLIGENT_TIERING at once, where what nobody reads costs less after 30 and 90 days',
  transitions: [{ Days: 0, StorageClass: 'INTELLIGENT_TIERING' }],
};

export const templateOf = (name: TemplateName): Template => (name === ARCHIVE.template ? ARCHIVE : TIERING);
