// Input and output of the parts of `analyze`.
import type { RequestCounts } from '../../../core/store/object-store.js';
import type { StoreAnalysis } from '../../../core/money/analyze/analyze-store.js';
import type { OnSeen } from '../../../core/money/analyze/stored-tally.js';
import type { EventSink } from '../../../core/events/events.js';
import type { Provider } from '../../../core/store/providers/provider.js';
import type { StoreContext, StoreValues } from '../../kit/store.js';

/** Values of the flags about Athena. */
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
  readonly onSeen?: OnSeen;
}

/** The analysis of a store, and facts about its place; without the cost. */
export interface FoundStore {
  readonly analysis: StoreAnalysis;
  readonly location: string;
  readonly isFolder: boolean;
  readonly isAws: boolean;
  /** Provider that runs the store, if its address tells. */
  readonly runBy?: Provider | undefined;
  readonly region: string | undefined;
  readonly requests: RequestCounts;
}
