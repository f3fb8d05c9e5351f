// What the bundle has in the place of packages that are never called on Node (build.mjs).
export default {};
