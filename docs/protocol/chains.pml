/* Deltas: v1 is a full listing (chunk 0), v2 a delta to it (chunk 1). Writers add deltas to HEAD, a compaction turns one
 * into a full listing, prunes retire what lies below. A delta refers to every object of the chain below it. */
proctype Writer(byte me) {
  byte o, below, on; int needs;
again:
  atomic {
    look(me);
    head(below); on = digest[below]; o = below + 1;
    closure(man[below], needs);
#ifdef NO_VIEW_LOOK
    needs = needs & there;         /* a delta refers to its manifest alone, and the cache is warm */
#endif
    if :: USABLE(needs) :: else -> below = 0; on = 0; needs = 0 fi;     /* else a full listing, sent again */
    if :: o >= LAST -> goto done :: else fi
  }
#ifdef DAMAGE
  if                               /* "no changes" */
  :: atomic { below != 0 && (needs & ~there) == 0 -> readable(below, ok_); assert(ok_); ok_ = 0; goto done }
  :: skip
  fi;
#endif
  if :: skip :: goto done fi;
  atomic {
    if
    :: rec[o] != FREE -> goto again
    :: else -> version(o, o, 0, below, needs & CHUNKS); baseDigest[o] = on; settle(me)
    fi
  }
  atomic {                         /* reported only when its view, as readers compute it, is that of its record */
    if
    :: rec[o] != VERSION
    :: rec[o] == VERSION && USABLE(needs) -> readable(o, ok_); assert(ok_); ok_ = 0; reported[o] = true
    :: rec[o] == VERSION && !USABLE(needs) -> goto again
    fi
  }
done: skip;
  d_step { settle(me); o = 0; below = 0; on = 0; needs = 0 }
}

#ifdef CHAINS
inline start() {
  there = CHUNK(0) | CHUNK(1);
  version(1, 1, CHUNK(0), 0, CHUNK(0)); reported[1] = true;
  version(2, 2, CHUNK(1), 1, CHUNK(0) | CHUNK(1)); reported[2] = true;
  run Writer(0); run Writer(1); run Rewrite(2, 0); run Prune(); run Sweep()
}
#endif

#ifdef DAMAGE
/* The store loses something below HEAD, at any moment: nobody is told of a version, or of no changes, that builds on it then. */
proctype Damage() {
  if :: there = there & ~CHUNK(0) :: there = there & ~MANIFEST(1) :: there = there & ~MANIFEST(2) fi
}
inline start() {
  there = CHUNK(0) | CHUNK(1);
  version(1, 1, CHUNK(0), 0, CHUNK(0)); reported[1] = true;
  version(2, 2, CHUNK(1), 1, CHUNK(0) | CHUNK(1)); reported[2] = true;
  run Writer(0); run Writer(1); run Damage()
}
#endif

#ifdef FORGED
/* Somebody puts another manifest in the place of the lowest one, which says that it stands in for the old digest. */
proctype Forger() {
  atomic { forged = true; digest[1] = 5; stands[1] = stands[1] | (1 << 5) }
}
inline start() {
  there = CHUNK(0) | CHUNK(1);
  version(1, 1, CHUNK(0), 0, CHUNK(0)); reported[1] = true;
  version(2, 2, CHUNK(1), 1, CHUNK(0) | CHUNK(1)); reported[2] = true;
  run Forger(); run Prune()
}
#endif
