type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The parts that are there, in their order: for documents that leave out what they do not have. */
export const defined = <T extends object>(parts: T): Defined<T> =>
  Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as Defined<T>;
