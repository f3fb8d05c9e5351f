// All that needs attention, from every source of the overview, the worst first.
import { savedStatus } from '../../core/archive/resume/describe-state.js';
import { needsAttention } from '../../core/fleet/watch/judge.js';
import type { AnySource } from '../../stores/dashboard/source.js';
import type { DashboardSources } from '../../stores/dashboard/sources.js';
import { limitWarnings } from './budget-lines.js';
import { toneOf, troublesText } from './fleet-rows.js';
import { outageText } from './outage.js';

export interface Finding {
  readonly tone: 'bad' | 'warn';
  readonly text: string;
  /** The key of the view that has more of it. */
  readonly key: '2' | '3' | '6';
}

/** What is wrong, and what is not known. */
export interface Findings {
  readonly findings: readonly Finding[];
  /** Names of sources that have not answered yet. */
  readonly unread: readonly string[];
  /** Sources that there are none of, as a sentence. */
  readonly missing: string | undefined;
}

/** Looks at what was read last. */
export function findingsOf(sources: DashboardSources): Findings {
  const { spend, budgets, uploads, store } = sources;
  const read: readonly (readonly [name: string, source: AnySource, key: Finding['key']])[] = [
    ['spending', spend, '2'],
    ['budgets', budgets, '2'],
    ['uploads', uploads, '3'],
    ...(store === undefined ? [] : [['fleet', store.fleet, '6'] as const]),
  ];
  const findings = [
    ...read.flatMap(([name, source, key]) => outagesOf(name, source, key)),
    ...fleetFindings(store),
    ...(budgets.getState().value?.budgets ?? []).flatMap(limitWarnings).map((one) => ({ ...one, key: '2' }) as const),
    ...(spend.getState().value?.notes ?? []).map((text) => ({ tone: 'warn', text, key: '2' }) as const),
    ...uploadFindings(uploads),
  ];
  return {
    findings: findings.toSorted((one, other) => rankOf(one) - rankOf(other)),
    unread: read.flatMap(([name, source]) => (source.getState().readAt === undefined ? [name] : [])),
    missing: store === undefined ? 'no store, so no fleet' : undefined,
  };
}

const rankOf = ({ tone }: Finding): number => (tone === 'bad' ? 0 : 1);

function outagesOf(name: string, source: AnySource, key: Finding['key']): readonly Finding[] {
  const state = source.getState();
  const outage = outageText(state);
  if (outage === undefined) return [];
  const reason = state.problem === undefined ? '' : `: ${state.problem}`;
  return [{ tone: 'bad', text: `${name} ${outage}${reason}`, key }];
}

function fleetFindings(store: DashboardSources['store']): readonly Finding[] {
  const status = store?.fleet.getState().value?.status;
  if (!status) return [];
  return [
    ...status.writers.filter(needsAttention).map((writer) => ({
      tone: toneOf(writer) === 'bad' ? ('bad' as const) : ('warn' as const),
      text: `${writer.writerId} ${troublesText(writer)}`,
      key: '6' as const,
    })),
    ...status.notes.map((text) => ({ tone: 'warn', text, key: '6' }) as const),
  ];
}

const uploadFindings = (uploads: DashboardSources['uploads']): readonly Finding[] =>
  (uploads.getState().value?.uploads ?? []).flatMap((upload): readonly Finding[] => {
    const status = savedStatus(upload);
    const { id, problem } = upload;
    if (status === 'unreadable') return [{ tone: 'bad', text: `${id} ${problem?.message ?? 'unreadable'}`, key: '3' }];
    return status === 'interrupted' ? [{ tone: 'warn', text: `interrupted: archiver resume ${id}`, key: '3' }] : [];
  });
