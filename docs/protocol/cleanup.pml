/* A failed upload tidies up after itself while another host resumes it without its journal (--skip-existing): that one
 * sees the chunk in the folder, refers to it from an upload of its own and commits. */
proctype Owner() {
  there = there | CHUNK(0);        /* and then it fails; its manifest was never tried by anybody */
#ifdef CLEANUP_DELETES
  there = there & ~CHUNK(0)
#else
  atomic { putMark(CHUNK(0)) }
#endif
}
proctype Elsewhere() {
  int wanted;
  atomic { look(0); wanted = (USABLE(CHUNK(0)) -> CHUNK(0) : 0) }
  if :: skip :: goto done fi;
  atomic { version(1, 2, wanted, 0, wanted); settle(0) }
  atomic { if :: USABLE(wanted) -> reported[1] = true :: else fi }
done: skip;
  d_step { settle(0); wanted = 0 }
}
inline start() { run Owner(); run Elsewhere(); run Sweep(); run Sweep() }
