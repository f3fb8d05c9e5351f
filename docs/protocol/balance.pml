/* Balance moves chunk 0 of v1 to a new key; two of them meet, with a prune, a sweep, and a writer whose full listing comes
 * from a cache older than any of it. Old keys are only marked, so whoever saw them a moment ago may still refer to them. */
proctype Writer(byte me) {
  byte o; int cached, wanted;
  atomic { head(o); cached = refs[man[o]] }            /* the manifest cache, as old as it likes */
again:
  atomic {
    look(me); head(o); o++;
#ifdef TRUST_CACHE
    wanted = cached;
#else
    wanted = (USABLE(cached) -> cached : 0);
#endif
    if :: o >= LAST -> goto done :: else fi
  }
  if :: skip :: goto done fi;
  atomic {
    if
    :: rec[o] != FREE -> goto again
    :: else -> version(o, o, wanted, 0, CONTENT(wanted)); settle(me)
    fi
  }
  atomic {
    if
    :: rec[o] != VERSION
    :: rec[o] == VERSION && USABLE(wanted) -> reported[o] = true
    :: rec[o] == VERSION && !USABLE(wanted) -> goto again
    fi
  }
done: skip;
  d_step { settle(me); o = 0; cached = 0; wanted = 0 }
}

inline start() {
  there = CHUNK(0);
  version(1, 1, CHUNK(0), 0, CHUNK(0)); reported[1] = true;
  run Writer(0); run Rewrite(2, 2); run Rewrite(3, 3); run Prune(); run Sweep()
}
