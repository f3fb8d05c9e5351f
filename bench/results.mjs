// What was measured so far, in a file, so that a run of hours which was ended can go on.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { median } from './measure.mjs';

/** Results in `file`: empty, or with `isResumed` what was measured there with the same `setup`. */
export function openResults(file, setup, isResumed) {
  let done = [];
  let entries = [];
  if (isResumed && existsSync(file)) {
    const earlier = JSON.parse(readFileSync(file, 'utf8'));
    if (JSON.stringify(earlier.setup) !== JSON.stringify(setup))
      throw new Error(
        `${file} was measured with other versions, corpora or another store; leave --resume out to begin anew`,
      );
    done = earlier.done;
    // Turns that were not finished are taken again.
    entries = earlier.entries.filter((entry) => done.includes(turnOf(entry)));
  }
  let isClosed = false;
  const save = () => {
    if (isClosed) return;
    writeFileSync(`${file}.new`, JSON.stringify({ setup, done, entries }));
    renameSync(`${file}.new`, file);
  };
  return {
    isDone: (turn) => done.includes(turnOf(turn)),
    add(entry) {
      entries.push(entry);
      save();
    },
    finish(turn) {
      done.push(turnOf(turn));
      save();
    },
    /** Nothing more is written: what fails from now on fails because the bench was ended. */
    close() {
      isClosed = true;
    },
    hasFailed: () => entries.some(({ failed }) => failed !== undefined),
    figures: (corpus, row) => figuresOf(entries.filter((entry) => entry.corpus === corpus && entry.row === row)),
  };
}

const turnOf = ({ corpus, round, peer }) => `${corpus} ${round} ${peer}`;

/** By program: the number of runs, medians of seconds and bytes, and the largest memory; `failed` where one run did. */
function figuresOf(entries) {
  const names = [...new Set(entries.map(({ peer }) => peer))];
  return Object.fromEntries(
    names.map((name) => {
      const runs = entries.filter(({ peer }) => peer === name);
      const failed = runs.find((run) => run.failed !== undefined)?.failed;
      if (failed !== undefined) return [name, { failed }];
      const middle = (figure) => {
        const values = runs.flatMap((run) => (run[figure] === undefined ? [] : [run[figure]]));
        return values.length === 0 ? undefined : median(values);
      };
      const peakBytes = Math.max(...runs.map((run) => run.peakBytes));
      return [name, { runs: runs.length, wall: middle('wall'), cpu: middle('cpu'), bytes: middle('bytes'), peakBytes }];
    }),
  );
}
