// Makes a version that is committed in each of the other stores: what they have of it already is not sent again.
import type { Context } from '../../../cli/context.js';
import type { UploadReport } from '../../../cli/slots.js';
import type { UploadResult } from '../../../core/archive/upload-result.js';
import type { EventSink } from '../../../core/events/events.js';
import { versionName } from '../../../core/dataset/records/version-name.js';
import {
  type ArchiverError,
  cancelledError,
  errorText,
  isArchiverError,
} from '../../../core/platform/failures/errors.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { uploadFolder } from '../../../core/store/ids/upload-id.js';
import type { OpenedStore } from '../../../core/store/open-store.js';
import { addCounts, newRequestCounts } from '../../../core/store/request-count.js';
import type { OpenForWriting } from '../../kit/store.js';
import { alsoReport, type AlsoRow } from './also-lines.js';
import { bringOver } from './bring-over.js';
import type { Other, Others } from './others.js';
import { copyCommand, type SharedValues } from './other-store.js';

export interface CatchUp {
  readonly others: Others;
  readonly open: OpenForWriting;
  /** Values of flags in the store of the upload. */
  readonly values: SharedValues;
  readonly context: Context<'upload'>;
  readonly emit: EventSink;
}

type Committed = UploadResult & { readonly version: number };

/** Catches up each of them. @throws cancelled, saying what is committed */
export async function catchUp(run: CatchUp, result: Committed): Promise<UploadReport> {
  const { others, open, emit } = run;
  const rows: AlsoRow[] = [];
  const requests = { ...result.requests };
  let main: OpenedStore | undefined;
  try {
    for (const other of others.all) {
      try {
        main ??= await open(emit);
        rows.push(await caughtUp(run, other, main, result));
      } catch (error) {
        rows.push(failed(run, other, error, result));
      }
    }
  } finally {
    if (main !== undefined) addCounts(requests, main.requests);
    main?.close();
  }
  for (const row of rows) tell(row, result, run);
  const report = alsoReport(rows);
  return { ...report, document: { ...report.document, requests } };
}

/** Tells at once what became of the version in one of them: a failure is told with --quiet, too. */
export function tell(
  { store, copyState, problem = '', hint = '' }: AlsoRow,
  { version, fork }: Pick<UploadResult, 'version' | 'fork'>,
  { context, emit }: Pick<CatchUp, 'context' | 'emit'>,
): void {
  const name = versionName({ version: version ?? 0, fork });
  if (copyState === 'failed')
    context.warn(`${printable(store)} lacks ${name}: ${printable(problem)}; to catch up: ${hint}`);
  else emit({ type: 'note', text: `also ${printable(store)}: done, ${name}` });
}

async function caughtUp(run: CatchUp, other: Other, main: OpenedStore, result: Committed): Promise<AlsoRow> {
  const { others, emit } = run;
  const { opened, writing } = await others.opened(other, main);
  const { values, context, name } = other.store;
  const ownFolder = uploadFolder(result.uploadId);
  const isAsked = (key: string): boolean => other.isAsked && key.startsWith(ownFolder);
  const what = { uploadId: result.uploadId };
  const done = await bringOver({ from: main, to: writing, values, what, isAsked }, context, emit);
  const { made = [], failures = [], sentObjects = 0, sentBytes = 0 } = done.result ?? {};
  const [failure] = failures;
  if (failure !== undefined) throw failure.error;
  const sent = other.put?.sent ?? { objects: 0, bytes: 0 };
  return {
    store: name,
    copyState: made.length > 0 ? 'made' : 'there',
    objects: sent.objects + sentObjects,
    bytes: sent.bytes + sentBytes,
    requests: { ...opened.requests },
  };
}

function failed({ context, values }: CatchUp, other: Other, error: unknown, result: Committed): AlsoRow {
  const { store } = other;
  const [, from = ''] = /^(.*)\/uploads\/[^/]*$/s.exec(result.location) ?? [];
  const command = copyCommand({ from, uploadId: result.uploadId, to: store }, values, context);
  if (context.signal.aborted)
    throw cancelledError(
      `stopped: ${versionName(result)} is committed (${printable(result.location)}), and not in ${printable(store.name)}: ${command}`,
    );
  const hint = (isArchiverError(error) ? error : undefined)?.hint;
  const sent = other.put?.sent ?? { objects: 0, bytes: 0 };
  return {
    store: store.name,
    copyState: 'failed',
    ...sent,
    requests: { ...newRequestCounts(), ...other.opened?.requests },
    problem: problemOf(error, hint),
    hint: command,
  };
}

const problemOf = (error: unknown, hint: ArchiverError['hint']): string =>
  hint === undefined ? errorText(error) : `${errorText(error)} (${hint})`;
