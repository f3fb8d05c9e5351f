type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns the defined parts in their order, for documents that leave out missing fields. */
export const defined = <T extends object>(parts: T): Defined<T> =>
  Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as Defined<T>;
