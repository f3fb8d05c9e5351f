/* Parts on a create-once store: one result of a part, one head of a plan, and a fence in its place. */
byte took;                         /* the attempts that the head names */
#ifdef PARTS_CHANGES               /* planned on top of version 1: the head lists what of that has not changed */
#define BASE CHUNK(0)
#else
#define BASE 0
#endif
bool fenced;                       /* a fence lies at the key of the plan's head */
proctype Attempt(byte a) {
  byte was;
  atomic {                         /* LIST of the plan, and of the folders that results name */
#ifdef COUNT_UNSOUND
    if :: fenced || (results & RIVALS(a)) != 0 -> assert(fenced || over || took != 0 || DONE(a)); goto done :: else fi;
#else
    if :: fenced || DONE(a) -> goto done :: else fi;
#endif
    was = results & RIVALS(a);     /* what is not sound counts for nothing, and frees no key */
    if
    :: there = there | SENT(a); names[a] = SENT(a)
#ifdef NO_LOOK_AT_OWN
    :: names[a] = SENT(a)           /* acknowledged, and lost */
#endif
    fi;
    written(SENT(a))
  }
again:
  atomic {                         /* the result, if-none-match, under its own key where there is one that does not count */
    if
#ifdef TAKE_OWN_FOR_RIVAL
#else
    :: (results & ATTEMPT(a)) != 0                     /* its own, of which the answer was lost */
#endif
    :: was != 0 || (results & RIVALS(a)) == 0 ->
       results = results | ATTEMPT(a); written(MANIFEST(PLAN));
       if
       :: goto done
       :: was == 0 -> goto again                       /* the answer is lost */
#ifdef ATTEMPT_CLEANS
       :: there = there & ~SENT(a)                      /* the same, and it ends with 75 and tidies up */
#endif
       fi
    :: else -> putMark(names[a] & SENT(a))
    fi
  }
done:
  was = 0
}

proctype Commit(byte me) {
  byte o, mine; int needs;
  atomic {                         /* LIST of records and of results, then of every folder that a segment refers to */
    recordOf(o);
    if :: o != 0 -> goto committed :: else fi;
    look(me);
    take(1); take(3);
#ifndef COUNT_MISSING
    if :: (mine & 6) == 0 || (mine & 24) == 0 -> goto done :: else fi;         /* exit 1, and the array to submit again */
#endif
    needs = NAMES(mine) | BASE;
#ifndef BASE_UNSEEN
    if :: WHOLE(BASE) :: else -> goto done fi
#endif
  }
  atomic {                         /* head, if-none-match */
    if
    :: fenced -> goto done
    :: !fenced && (there & MANIFEST(PLAN)) == 0 ->
       there = there | MANIFEST(PLAN); refs[PLAN] = needs; stands[PLAN] = 1; took = mine; written(MANIFEST(PLAN));
       /* No sweep has begun to delete of the plan: it would have fenced. */
       if :: (needs & ~FOLDERS) == 0 -> slept = slept & ~HOLDER(me) :: else fi
    :: else ->                     /* of another commit, which sleeps or was killed: that one is the head, whatever this one has read */
       needs = refs[PLAN];
#ifndef ADOPT_BLINDLY
       look(me); if :: WHOLE(MANIFEST(PLAN) | needs) :: else -> goto done fi
#endif
    fi
  }
record:
  atomic {                         /* LIST of the records, and the look again where the last one is older than an hour */
#ifndef COMMIT_AGAIN
    recordOf(o); if :: o != 0 -> goto committed :: else fi;
#endif
    if :: (slept & HOLDER(me)) != 0 -> look(me); if :: WHOLE(MANIFEST(PLAN) | needs) :: else -> goto done fi :: else fi;
    head(o); o++; if :: o >= LAST -> goto done :: else fi
  }
  atomic {
    if
    :: rec[o] != FREE -> goto record
    :: else ->
       recordOf(v_); assert(v_ == 0); v_ = 0;          /* one plan, one version */
       assert((took & 6) == 2 || (took & 6) == 4); assert((took & 24) == 8 || (took & 24) == 16);
       rec[o] = VERSION; man[o] = PLAN; accepts[o] = 1; view[o] = refs[PLAN]; broken[o] = (slept & HOLDER(me)) != 0;
       settle(me)
    fi
  }
#ifdef NO_LOOK_AFTER
  atomic { if :: rec[o] == VERSION -> reported[o] = true :: else fi };
#endif
committed:
  atomic {                         /* the look after it, whoever has put it */
    settle(me);
    if
    :: rec[o] != VERSION -> goto done
#ifdef TRUST_RECORD
    :: rec[o] == VERSION -> reported[o] = true
#else
    :: rec[o] == VERSION && WHOLE(MANIFEST(PLAN) | refs[PLAN]) -> reported[o] = true
    :: else -> goto done           /* exit 1: it is not whole */
#endif
    fi
  }
  atomic {                         /* all folders that the head does not name */
#ifdef MARK_BY_CHOICE
    needs = (mine == 0 -> refs[PLAN] : NAMES(mine));
#else
    needs = refs[PLAN];
#endif
    needs = there & FOLDERS & ~needs & ~MARKED;
    assert((needs & refs[PLAN]) == 0);
    putMark(needs)
  }
done:
  atomic { settle(me); o = 0; mine = 0; needs = 0 }
}

/* Before anything goes that a head may still name, a fence lies at the key of the head. */
inline fenceOff() {
  if
#ifndef SPARE_COMMITTED
  :: o != 0                        /* a record names the plan: what its head does not name, nobody will */
#endif
#ifndef FENCE_FOR_BEATEN
  :: o == 0 && (doomed & NAMEABLE) == 0
#else
  :: o == 0 && (doomed & PLANNED) == 0
#endif
  :: else ->
     if
     :: (there & MANIFEST(PLAN)) == 0 -> fenced = true
     :: (there & seen & named & MANIFEST(PLAN)) != 0 -> there = there & ~MANIFEST(PLAN); fenced = true
     :: else -> doomed = doomed & ~PLANNED             /* it has gone on since the mark: let go of all of it */
     fi
  fi
}

proctype PlanSweep() {
  int doomed, named, seen; byte m, o;
end:
  do
  :: atomic {                      /* everybody may have slept: a mark is always old enough */
       if :: mark[0] != 0 -> m = 0 :: mark[1] != 0 -> m = 1 fi;
       slept = slept | pending[m];
       keep(named); doomed = mark[m] & ~named; named = doomed; seen = there; recordOf(o)
     }
#ifndef NO_FENCE
     atomic { fenceOff() }
     atomic {                      /* a record that came gets its head back */
       recordOf(v_);
       if
       :: o == 0 && v_ != 0 && fenced -> fenced = false; there = there | MANIFEST(PLAN); doomed = doomed & ~PLANNED
       :: else
       fi;
       v_ = 0
     }
#endif
     do
     :: doomed != 0 -> d_step { there = there & ~(doomed & -doomed); doomed = doomed & (doomed - 1) }
     :: doomed != 0 -> goto killed
     :: else -> break
     od;
     atomic {
       if :: fenced || o != 0 -> results = 0 :: skip fi;       /* the plan's own objects go in their time */
       keep(seen); named = named & ~seen & ~there;
       mark[m] = mark[m] & ~named;
       if :: mark[m] == 0 -> pending[m] = 0 :: else fi
     };
killed:
     skip;
     d_step { doomed = 0; named = 0; seen = 0; m = 0; o = 0 }
  od
}

/* A living plan: what a result names is there and unmarked, and nobody fences it. */
proctype Living() {
end:
  do
  :: d_step {
       recordOf(v_);
       if
       :: over || v_ != 0
       :: else ->
          assert(!fenced); v_ = 1;
          do :: v_ <= 4 -> assert((results & ATTEMPT(v_)) == 0 || (names[v_] & FOLDERS & ~there) == 0 && (names[v_] & FOLDERS & MARKED) == 0); v_++ :: else -> break od
       fi;
       v_ = 0
     }
  od
}

#if defined(PARTS_BASE) || defined(PARTS_CHANGES)
/* Were all to die now, and 7 days and the grace to pass, then a prune and a sweep would leave nothing that no version needs. */
proctype Left() {
  int doomed, named, seen; byte o; bool was;
end:
  do
  :: d_step {
       seen = there; was = fenced; keep(named); doomed = there & ~named; named = doomed; recordOf(o);
       fenceOff();
       assert((seen & FOLDERS & named & ~doomed) == 0);
       there = seen; fenced = was; doomed = 0; named = 0; seen = 0; o = 0; was = false
     }
  od
}
#endif

/* A later version that refers to an attempt's folder. */
proctype Later() {
  byte o; int wanted;
again:
  atomic { look(2); head(o); wanted = (o > 0 && man[o] == PLAN && USABLE(CHUNK(3)) -> CHUNK(3) : 0); o++ }
  atomic { if :: o >= LAST -> goto done :: o < LAST && rec[o] != FREE -> goto again :: else -> version(o, 3, wanted, 0, wanted); broken[o] = (slept & HOLDER(2)) != 0; settle(2) fi }
  atomic { if :: rec[o] == VERSION && USABLE(wanted) -> reported[o] = true :: else fi }
done: skip;
  d_step { settle(2); o = 0; wanted = 0 }
}

inline start() {
  there = CHUNK(0);
  version(1, 1, CHUNK(0), 0, CHUNK(0)); reported[1] = true;
  markable = 65535 & ~PLANNED;
  stored(1, CHUNK(1));
#ifdef PARTS
  there = there & ~CHUNK(1); results = 0; stored(3, CHUNK(3));
  run Attempt(1); run Attempt(2);
#endif
#ifdef PARTS_ABANDONED
  run Attempt(3); run Time();
#endif
#ifdef PARTS_BASE                  /* version 2 has nothing of version 1 */
  version(2, 3, 0, 0, 0); reported[2] = true;
  stored(3, CHUNK(0) | CHUNK(3));
  run Attempt(4); run Left();
#endif
#ifdef PARTS_CHANGES               /* version 2 has nothing of version 1, and its prune is retiring that */
  version(2, 3, 0, 0, 0); reported[2] = true;
  stored(3, CHUNK(3));
  run Attempt(2); run Left();
#endif
#ifdef PARTS_LATER
  stored(3, CHUNK(3)); there = there | CHUNK(2);         /* attempt 2 was killed */
  run Later(); run Time();
#endif
  run Commit(0); run Living(); run Prune(); run PlanSweep();
#ifndef PARTS_LATER
  run Commit(1)
#endif
}
