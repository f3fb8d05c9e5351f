// The Grafana dashboards of docs/grafana, and their queries as a data source gets them.
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../docs/grafana/', import.meta.url);

export interface Panel {
  readonly id: number;
  readonly title: string;
  readonly description?: string;
  readonly datasource: { readonly type: string; readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig: { readonly defaults: { readonly unit?: string } };
  readonly targets: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly datasource: Panel['datasource'];
  }[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly query: string }[];
  };
}

export const dashboards = (): readonly Dashboard[] =>
  readdirSync(FOLDER).map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Dashboard);

/** The PromQL of all panels. */
export const expressions = (): readonly string[] =>
  dashboards().flatMap(({ panels }) => panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)));

/** What Grafana sends for an expression. `all`: what its variables stand for where nothing is chosen. */
export const asSent = (expr: string, { all = '.+', interval = '5m' } = {}): string =>
  expr.replaceAll('$__rate_interval', interval).replaceAll(/\$(?:job|instance)\b/g, all);
