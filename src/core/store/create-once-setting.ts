// What a user says of a store: whether it is to be asked if it keeps If-None-Match (core/store/create-once), or who vouches for what.
export const CREATE_ONCE = ['auto', 'yes', 'no'] as const;
export type CreateOnceSetting = (typeof CREATE_ONCE)[number];
