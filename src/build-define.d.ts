/** A digest of all scripts of dist/, which the build puts in (scripts/build.mjs). */
declare const BUILD_DIGEST: string;
