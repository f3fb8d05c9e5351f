// The user's setting for a store: ask it whether it keeps If-None-Match (core/store/create-once), or take it as `yes` or `no`.
export const CREATE_ONCE = ['auto', 'yes', 'no'] as const;
export type CreateOnceSetting = (typeof CREATE_ONCE)[number];
