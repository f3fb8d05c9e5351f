// What the parts of `analyze` are given, and what they give.
import type { RequestCounts } from '../../../core/store/object-store.js';
import type { StoreAnalysis } from '../../../core/money/analyze/analyze-store.js';
import type { EventSink } from '../../../core/events/events.js';
import type { Provider } from '../../../core/store/providers/provider.js';
import type { StoreContext, StoreValues } from '../../kit/store.js';

/** What the flags say of Athena. */
export interface AthenaValues {
  readonly athenaDatabase: string;
  readonly athenaTable: string | undefined;
  readonly athenaWorkgroup: string;
  readonly athenaOutputLocation: string | undefined;
  readonly athenaMaxScan: number | undefined;
}

export interface AnalyzeCall {
  readonly values: StoreValues &
    AthenaValues & {
      readonly sampling: boolean;
      readonly sampleSize: number;
      readonly engine: 'local' | 'athena';
    };
  readonly context: StoreContext;
  readonly emit: EventSink;
}

/** What was found, and where: what it costs is not said yet. */
export interface FoundStore {
  readonly analysis: StoreAnalysis;
  readonly location: string;
  readonly isFolder: boolean;
  readonly isAws: boolean;
  /** Who runs it, where the address tells. */
  readonly runBy?: Provider | undefined;
  readonly region: string | undefined;
  readonly requests: RequestCounts;
}
