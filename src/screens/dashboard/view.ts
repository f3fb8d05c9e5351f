import type { Document } from '../../json/documents.js';
import type { ReactElement } from 'react';
import type { BrowseRequest } from '../../stores/dashboard/dashboard-store.js';
import type { ViewModel } from '../../stores/dashboard/view-model.js';
import type { Message } from '../../ui/status.js';
import type { Binding } from '../../ui/use-keys.js';
import type { Dashboard, Target } from './dashboard-context.js';

/** A view and how it is drawn. Tabs, keys, `--view`, help and `--once` are generated from the list of views (views.ts). */
export interface DashboardView extends ViewModel {
  /** Its body, sized to the room of the screen. */
  readonly View: () => ReactElement;
  /** Tells the user what to type when the view cannot show anything without it. */
  readonly lacks?: (target: Target) => string | undefined;
  /** The status line. */
  readonly summary: (dashboard: Dashboard) => Message;
  /** Keys of this view only. */
  readonly bindings?: (dashboard: Dashboard) => readonly Binding[];
  /** The upload under the cursor, for `b`, or why it cannot be browsed. */
  readonly browsable?: (dashboard: Dashboard) => BrowseRequest | { readonly refusal: string };
  /** The part of `--once --json` that is specific to this view. */
  readonly toJson: (dashboard: Dashboard) => Omit<Document<'dashboard'>, 'view' | 'location' | 'troubles'>;
}
