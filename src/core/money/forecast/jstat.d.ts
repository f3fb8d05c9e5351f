// Types for the parts of jStat that are used; it comes without types.
declare module 'jstat' {
  /** `degrees` of freedom, above 0. Accurate to 5e-8 for 1 to 400 of them (docs/decisions/034). */
  interface StudentT {
    readonly cdf: (value: number, degrees: number) => number;
    readonly inv: (probability: number, degrees: number) => number;
  }
  const jstat: { readonly jStat: { readonly studentt: StudentT } };
  export default jstat;
}
