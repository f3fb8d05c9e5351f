/* A running restore keeps what it reads for a day, whatever prune and sweep do meanwhile. To the grace it is a holder like
 * any other; what the mark's age does not cover is a key that was marked, referred to all the same by a writer that had
 * looked before, and needed by nobody again when that version is retired: its mark is old, its restore is young. */
proctype Restore() {
  int reads; byte o;
  atomic {
    look(2); restoring = true;
    o = 1; do :: o < LAST - 1 -> o++ :: break od;      /* --version: any that is listed */
    if :: rec[o] == VERSION -> closure(man[o], reads) :: else fi
  }
  d_step {                         /* at any later moment of that day */
    assert((reads & ~there) == 0);
    settle(2); restoring = false;
    o = 1; do :: o < LAST -> young[o] = false; o++ :: else -> break od;
    reads = 0; o = 0
  }
}
