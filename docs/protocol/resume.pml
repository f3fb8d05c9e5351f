/* A run of upload 1 that loses answers and dies anywhere, its resume, a rival, a prune that takes upload 1 for abandoned,
 * a sweep. A request whose sender is gone may still arrive: each PUT of manifest and record here may land late or never.
 * The source may have changed between the runs. */
bool alive = true, tried;          /* `tried`: the journal's flag, flushed before the manifest is tried */
bool manifestOnTheWay; byte recordOnTheWay;
#define UPLOAD1 (MANIFEST(1) | CHUNK(0))

inline record1(at1_) { rec[at1_] = VERSION; man[at1_] = 1; accepts[at1_] = 1; view[at1_] = CHUNK(0) }
inline manifest1() {
  if
  :: (there & MANIFEST(1)) == 0 -> there = there | MANIFEST(1); refs[1] = CHUNK(0); stands[1] = 1
  :: else                          /* if-none-match */
  fi
}

proctype Network() {
end:
  do
  :: atomic { manifestOnTheWay -> manifestOnTheWay = false; manifest1() }
  :: atomic { manifestOnTheWay -> manifestOnTheWay = false }
  :: atomic { recordOnTheWay != 0 ->
       if :: rec[recordOnTheWay] == FREE -> record1(recordOnTheWay) :: else fi; recordOnTheWay = 0 }
  :: atomic { recordOnTheWay != 0 -> recordOnTheWay = 0 }
  :: atomic { !alive && !manifestOnTheWay && recordOnTheWay == 0 && markable != 65535 -> markable = 65535 }   /* 7 days */
  od
}

proctype First() {
  byte o;
  there = there | CHUNK(0);
  if :: skip :: goto done fi;
  tried = true;
  if
  :: manifest1()
  :: manifestOnTheWay = true; goto done
  :: goto done
  fi;
  if :: skip :: goto done fi;
  atomic { head(o); o++ };
  if
  :: atomic { rec[o] == FREE -> record1(o); reported[o] = true }
  :: atomic { rec[o] == FREE -> recordOnTheWay = o }
     if
     :: goto done                  /* exit 1: it does not know */
     :: recordOnTheWay == 0        /* the SDK tries again: 412 may be its own */
     fi;
     atomic {
       if
       :: rec[o] == FREE -> record1(o); reported[o] = true
#ifdef BEATEN_REMOVES
       :: rec[o] != FREE -> there = there & ~MANIFEST(1)
#else
       :: rec[o] == VERSION && man[o] == 1 -> reported[o] = true
       :: rec[o] != FREE && !(rec[o] == VERSION && man[o] == 1)       /* a rival: what it has sent stays, unreferred */
#endif
       fi
     }
  :: rec[o] != FREE
  fi;
done:
  atomic { alive = false; o = 0 }
}

proctype Resume() {
  byte o, id; int wanted;
  !alive;
again:
  atomic {
#ifndef FINISH_EARLIER
    look(1);
#endif
    o = 1; do :: o < LAST && !(rec[o] != FREE && man[o] == 1) -> o++ :: else -> break od;
    if
    :: o < LAST && rec[o] == VERSION -> reported[o] = true; goto done      /* committed already: say so */
    :: o < LAST && rec[o] == TOMBSTONE -> goto done
    :: else
    fi;
    wanted = (USABLE(CHUNK(0)) -> CHUNK(0) : 0);
    head(o); o++;
    if :: o >= LAST -> goto done :: else fi;
#ifdef KEEP_ID_AFTER_TRY
    id = 1
#else
    id = (tried -> 2 : 1)
#endif
  }
#ifdef FINISH_EARLIER
  if
  :: atomic { (there & MANIFEST(1)) != 0 -> skip }
     atomic { if :: rec[o] == FREE -> record1(o); reported[o] = true :: else fi; goto done }
  :: (there & MANIFEST(1)) == 0
  fi;
#endif
#ifdef REMOVE_EARLIER
  there = there & ~MANIFEST(1);
#endif
#ifdef SWEEP_BY_JOURNAL
  atomic { there = there & ~CHUNK(0); wanted = 0 }
#endif
  if :: skip :: goto done fi;
  atomic {
    if
    :: rec[o] != FREE -> goto again
    :: else ->
#ifdef KEEP_ID_AFTER_TRY
       if :: (there & MANIFEST(1)) != 0 -> digest[1] = 1; wanted = 0 :: else fi;       /* the source has changed */
#endif
       version(o, id, wanted, 0, wanted); settle(1)
    fi
  }
  atomic {
    if
    :: rec[o] != VERSION
    :: rec[o] == VERSION && USABLE(wanted) -> reported[o] = true
    :: rec[o] == VERSION && !USABLE(wanted)            /* ends with 1 and says which version is not whole */
    fi
  }
done: skip;
  d_step { settle(1); o = 0; id = 0; wanted = 0 }
}

proctype Rival() {                 /* refers to upload 1 once that is HEAD */
  byte o; int wanted;
again:
  atomic {
    look(0); head(o);
    wanted = (o > 0 && man[o] == 1 && USABLE(CHUNK(0)) -> CHUNK(0) : 0);
    o++
  }
  atomic {
    if
    :: rec[o] != FREE -> goto again
    :: else -> version(o, 3, wanted, 0, wanted); settle(0)
    fi
  }
  atomic { if :: rec[o] == VERSION && USABLE(wanted) -> reported[o] = true :: else fi; o = 0; wanted = 0 }
}

inline start() {
  markable = 65535 & ~UPLOAD1;
  run First(); run Network(); run Resume(); run Rival(); run Prune(); run Sweep()
}
