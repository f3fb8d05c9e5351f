import type { Column } from '../../ui/columns.js';

/** The choices and their descriptions, for a list to pick from. */
export const twoColumns = (count: number, cell: (at: number) => readonly [string, string]): readonly Column[] => {
  const widest = Math.max(...Array.from({ length: count }, (_, at) => cell(at)[0].length));
  return [
    { width: Math.min(32, widest), priority: 0, cell: (at) => cell(at)[0] },
    { weight: 1, min: 10, priority: 1, tone: 'dim', cut: 'end', cell: (at) => cell(at)[1] },
  ];
};
