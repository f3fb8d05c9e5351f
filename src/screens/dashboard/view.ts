import type { Document } from '../../json/documents.js';
import type { ReactElement } from 'react';
import type { BrowseWish } from '../../stores/dashboard/dashboard-store.js';
import type { ViewModel } from '../../stores/dashboard/view-model.js';
import type { Message } from '../../ui/status.js';
import type { Binding } from '../../ui/use-keys.js';
import type { Dashboard, Target } from './dashboard-context.js';

/** A view and how it is drawn. Tabs, keys, `--view`, help and `--once` are made of the list of them (views.ts). */
export interface DashboardView extends ViewModel {
  /** Its body, in the room of the screen. */
  readonly View: () => ReactElement;
  /** What to type, where it has nothing to show without it. */
  readonly lacks?: (target: Target) => string | undefined;
  /** The status line. */
  readonly summary: (dashboard: Dashboard) => Message;
  /** Keys of its own. */
  readonly bindings?: (dashboard: Dashboard) => readonly Binding[];
  /** The upload under the cursor, for `b`, or why it cannot be browsed. */
  readonly browsable?: (dashboard: Dashboard) => BrowseWish | { readonly refusal: string };
  /** What `--once --json` prints of it, beside what all views have. */
  readonly toJson: (dashboard: Dashboard) => Omit<Document<'dashboard'>, 'view' | 'location' | 'troubles'>;
}
