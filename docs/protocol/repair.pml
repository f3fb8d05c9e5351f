/* Repair rebuilds the manifest of HEAD and may find less than it listed (chunk 1), while a writer adds deltas to it. The
 * same view may take the manifest's place; another one is a version of its own at the next ordinal, a rival like any. */
proctype Repair(byte me) {
  byte o, m, was; int found;
  atomic {
    look(me); head(o); m = man[o]; was = digest[m];
    closure(m, found); found = found & CHUNKS;
    if
    :: base[m] != 0 -> goto done
    :: base[m] == 0
    :: base[m] == 0 -> found = found & CHUNK(0)
    fi
  }
  if :: skip :: goto done fi;
#if defined(REPAIR_IN_PLACE) || defined(REPAIR_STANDS_IN)
  atomic {                         /* nothing built on it when it looked */
#else
  if
  :: found == view[o] -> skip
  :: else -> goto other
  fi;
  atomic {
#endif
    if :: digest[m] != was || rec[o] != VERSION -> goto done :: else fi;
    digest[m] = 1 + me; refs[m] = found; accepts[o] = 1 << (1 + me); change[o]++; view[o] = found;
#ifdef REPAIR_IN_PLACE
    stands[m] = (found == CHUNK(0) -> 0 : stands[m]);
#endif
    stands[m] = stands[m] | (1 << (1 + me));
    goto done
  }
other:
  atomic {
    head(o); o++;
    closure(man[o - 1], found);
    if :: !USABLE(found) -> found = 0 :: else -> found = found & CHUNK(0) fi;
    if :: o >= LAST -> goto done :: else fi
  }
  atomic {
    if
    :: rec[o] != FREE -> goto other
    :: else -> version(o, o, found, 0, found); reported[o] = true
    fi
  }
done: skip;
  d_step { settle(me); o = 0; m = 0; was = 0; found = 0 }
}

inline start() {
  there = CHUNK(0) | CHUNK(1);
  version(1, 1, CHUNK(0) | CHUNK(1), 0, CHUNK(0) | CHUNK(1)); reported[1] = true;
  run Writer(0); run Writer(1); run Repair(2); run Prune(); run Sweep()
}
