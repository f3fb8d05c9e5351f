// Builds profiles in the format of pprof (profile.proto): stacks, each with values, added up by stack and thread.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import {
  Function as PprofFunction,
  Label,
  Line,
  Location,
  Profile,
  Sample,
  StringTable,
  ValueType,
} from 'pprof-format';

export interface Frame {
  readonly name: string;
  /** Source file; empty when there is none. */
  readonly file?: string;
  /** Counted from 1. */
  readonly line?: number;
}

export type Unit = readonly [type: string, unit: string];

export interface PprofOptions {
  /** Types of the values of a sample; the last one is displayed by default. */
  readonly values: readonly Unit[];
  /** Sampling period, if samples are taken. */
  readonly period?: { readonly of: Unit; readonly value: number };
  /** Comments for whoever views the profile. */
  readonly comments?: readonly string[];
}

interface Counted {
  readonly stack: readonly number[];
  readonly thread: number;
  readonly values: number[];
}

export class PprofProfile {
  private readonly strings = new StringTable();
  private readonly functions: PprofFunction[] = [];
  private readonly locations: Location[] = [];
  private readonly ids = new Map<string, number>();
  private readonly counted = new Map<string, Counted>();

  constructor(private readonly options: PprofOptions) {}

  /** Adds values to a stack, whose innermost frame comes first, in this thread. */
  add(stack: readonly Frame[], values: readonly number[], thread: string): void {
    const ids = stack.map((frame) => this.locationOf(frame));
    const key = `${thread}|${ids.join(',')}`;
    const found = this.counted.get(key);
    if (found === undefined)
      this.counted.set(key, { stack: ids, thread: this.strings.dedup(thread), values: [...values] });
    else for (const [index, value] of values.entries()) found.values[index] = (found.values[index] ?? 0) + value;
  }

  private locationOf({ name, file = '', line = 0 }: Frame): number {
    const key = `${name}|${file}|${line}`;
    let id = this.ids.get(key);
    if (id === undefined) {
      id = this.locations.length + 1;
      this.ids.set(key, id);
      const text = this.strings.dedup(name === '' ? '(anonymous)' : name);
      const filename = this.strings.dedup(file);
      this.functions.push(new PprofFunction({ id, name: text, systemName: text, filename, startLine: line }));
      this.locations.push(new Location({ id, line: [new Line({ functionId: id, line })] }));
    }
    return id;
  }

  /** Returns the gzipped file. `startedAtMs` is in ms since 1970. */
  async encode(startedAtMs: number, durationMs: number): Promise<Buffer> {
    const { strings } = this;
    const { values, period, comments = [] } = this.options;
    const typeOf = ([type, unit]: Unit): ValueType =>
      new ValueType({ type: strings.dedup(type), unit: strings.dedup(unit) });
    const key = strings.dedup('thread');
    const profile = new Profile({
      sampleType: values.map(typeOf),
      sample: [...this.counted.values()].map(
        ({ stack, thread, values }) =>
          new Sample({
            locationId: [...stack],
            value: values.map(Math.round),
            label: [new Label({ key, str: thread })],
          }),
      ),
      location: this.locations,
      function: this.functions,
      timeNanos: BigInt(startedAtMs) * 1_000_000n,
      durationNanos: BigInt(Math.round(durationMs)) * 1_000_000n,
      ...(period && { periodType: typeOf(period.of), period: period.value }),
      comment: comments.map((text) => strings.dedup(text)),
      stringTable: strings,
    });
    return await promisify(gzip)(profile.encode());
  }
}
