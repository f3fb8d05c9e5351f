/* The sweep of a plain store: fences off what no record names, then looks, then deletes. It may be killed after any step and
 * begins again. */
inline recordless(ids_) {
  ids_ = 60; v_ = 2;
  do :: v_ < LAST -> if :: rec[v_] != FREE -> ids_ = ids_ & ~(1 << v_) :: else fi; v_++ :: else -> break od;
  v_ = 0
}

proctype FlagSweep(byte s) {
  int doomed, named, seen; byte m, u, open;
end:
  do
  :: atomic {                      /* everybody may have slept: a mark is always old enough */
       if :: mark[0] != 0 -> m = 0 :: mark[1] != 0 -> m = 1 fi;
       slept = slept | pending[m];
       keep(named); doomed = mark[m] & ~named; named = doomed; recordless(open); seen = there;
       u = 2
     }
     do
     :: u >= LAST -> break
     :: u < LAST && ((doomed & FOLDER(u)) == 0 || (open & (1 << u)) == 0) -> u++
     :: u < LAST && (doomed & FOLDER(u)) != 0 && (open & (1 << u)) != 0 ->
#ifndef FENCE_LAST
        flags[u] = flags[u] | FENCE(s);
#endif
#ifdef NO_LIST_OF_FOLDER
        if :: (seen & ~doomed & MANIFEST(u)) != 0 -> goto away :: else fi;
#else
        if :: (there & ~doomed & MANIFEST(u)) != 0 -> goto away :: else fi;    /* a manifest that its mark does not name */
#endif
#ifndef NO_LIST_OF_RECORDS
        if :: rec[u] != FREE -> goto away :: else fi;
#endif
#ifdef FENCE_LAST
        flags[u] = flags[u] | FENCE(s);
#endif
        u++; goto next;
away:   if
        :: atomic { flags[u] = flags[u] & ~FENCE(s); doomed = doomed & ~FOLDER(u); u++ }
        :: goto killed
        fi;
next:   skip
     od;
     do
     :: doomed != 0 -> d_step { there = there & ~(doomed & -doomed); doomed = doomed & (doomed - 1) }
     :: goto killed
     :: doomed == 0 -> break
     od;
     atomic {
#ifdef FENCE_GOES
       u = 2; do :: u < LAST -> flags[u] = flags[u] & ~FENCE(s); u++ :: else -> break od;
#endif
       keep(seen); named = named & ~seen & ~there;
       mark[m] = mark[m] & ~named;
       if :: mark[m] == 0 -> pending[m] = 0 :: else fi
     };
killed:
     atomic {
       u = 2;
       do
       :: u < LAST -> if :: (flags[u] & FENCE(s)) != 0 -> flags[u] = flags[u] & ~FENCE(s) | DEAD :: else fi; u++
       :: else -> break
       od;
       doomed = 0; named = 0; seen = 0; m = 0; u = 0; open = 0
     }
  od
}

inline start() {
  there = CHUNK(1) | CHUNK(2);
  version(1, 1, CHUNK(1), 0, CHUNK(1)); ord[1] = 1; reported[1] = true;
  run PlainReaders(); run PlainWriter(0, 2, false); run PlainPrune(); run FlagSweep(0);
#ifdef PLAIN
  run PlainWriter(1, 3, true)
#endif
#ifdef PLAIN_SWEEPS
  run FlagSweep(1)
#endif
#ifdef PLAIN_PRUNES
  run PlainPrune()
#endif
}
