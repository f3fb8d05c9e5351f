/* Parts on a plain store: nothing is put on a condition, so a part may have two results, and a plan two commits that have read different
 * ones. So each commit puts its head under an id of its own (2 and 3), the record of which names the plan. */
proctype Attempt(byte a) {
  atomic {
    if :: DONE(a) -> goto done :: else fi;
    there = there | SENT(a); names[a] = SENT(a); written(SENT(a))
  }
  atomic {                         /* LIST: it is not needed any more, and says so before it has put a result */
    if :: DONE(a) -> putMark(SENT(a)); goto done :: else fi
  }
  atomic { results = results | ATTEMPT(a); written(FOLDERS) }
#ifdef LATER_MARKS_ITSELF
  atomic { if :: (results & RIVALS(a) & (ATTEMPT(a) - 1)) != 0 -> putMark(SENT(a)) :: else fi }
#endif
done: skip
}

inline planned(up_) {              /* LIST of the records: a version, or a tombstone, that names the plan */
  up_ = (rec[3] != FREE -> 3 : (rec[2] != FREE -> 2 : 0))
}

proctype Commit(byte me) {
  byte o, id, mine; int needs;
  atomic {
    planned(id); if :: id != 0 -> goto committed :: else fi;
#ifdef HEAD_AT_PLAN
    id = PLAN;
#else
    id = PLAN + me;
#endif
    look(me); take(1); take(3);
    if :: (mine & 6) == 0 || (mine & 24) == 0 -> goto done :: else fi;
    needs = NAMES(mine)
  }
  atomic {                         /* head: the same bytes for the same attempts */
    there = there | MANIFEST(id); refs[id] = needs; digest[id] = (mine & 6) / 4; stands[id] = 1 << digest[id]; written(FOLDERS)
  }
  atomic {                         /* LIST of the records, and a look where the last one is older than an hour */
    planned(o); if :: o != 0 -> id = o; goto committed :: else fi;
    if :: (slept & HOLDER(me)) != 0 -> look(me); if :: USABLE(needs) :: else -> goto done fi :: else fi;
    highest(o); o++
  }
  atomic {
    putRecord(id, o); view[id] = needs; accepts[id] = 1 << ((mine & 6) / 4);
    assert((mine & 6) == 2 || (mine & 6) == 4); assert((mine & 24) == 8 || (mine & 24) == 16);
    broken[id] = (slept & HOLDER(me)) != 0; settle(me)
  }
committed:
  atomic {                         /* LIST of every folder, whoever has put the record */
    settle(me);
    if
    :: rec[id] != VERSION -> goto done
#ifdef NO_LIST_AFTER_RECORD
    :: rec[id] == VERSION -> reported[id] = true
#else
    :: rec[id] == VERSION && USABLE(MANIFEST(id) | refs[id]) -> reported[id] = true
    :: else -> assert(over); goto done       /* exit 1: it is not whole */
#endif
    fi
  }
#ifdef MARK_UNNAMED
  atomic { putMark(there & FOLDERS & ~refs[id] & ~MARKED) }
#else
  atomic { putMark(there & FOLDERS & ~ITS(results) & ~MARKED) }                        /* what has a result another commit may name */
#endif
done:
  atomic { settle(me); o = 0; id = 0; mine = 0; needs = 0 }
}

proctype PlanSweep() {
  int doomed, named, needed; byte m;
end:
  do
  :: atomic {
       if :: mark[0] != 0 -> m = 0 :: mark[1] != 0 -> m = 1 fi;
       slept = slept | pending[m];
       keep(named); doomed = mark[m] & ~named; named = doomed
     }
     if
     :: (doomed & NAMEABLE) == 0
     :: else ->
#ifndef NO_FENCE
        flags[PLAN] = flags[PLAN] | FENCE(0);
#endif
#ifndef NO_LIST_OF_RECORDS
        atomic { keep(needed); doomed = doomed & ~needed; needed = 0 }
#endif
        skip
     fi;
     do
     :: doomed != 0 -> d_step { there = there & ~(doomed & -doomed); doomed = doomed & (doomed - 1) }
     :: goto killed
     :: doomed == 0 -> break
     od;
     atomic {
       keep(doomed); named = named & ~doomed & ~there;
       mark[m] = mark[m] & ~named;
       if :: mark[m] == 0 -> pending[m] = 0 :: else fi
     };
killed:
     atomic {
       if :: (flags[PLAN] & FENCE(0)) != 0 -> flags[PLAN] = DEAD :: else fi;
       doomed = 0; named = 0; m = 0
     }
  od
}

inline start() {
  there = CHUNK(0);
  version(1, 1, CHUNK(0), 0, CHUNK(0)); ord[1] = 1; reported[1] = true;
  markable = 65535 & ~PLANNED;
  run PlainReaders(); run PlainPrune(); run PlanSweep();
#ifdef PARTS_PLAIN
  stored(3, CHUNK(3));
  run Attempt(1); run Attempt(2); run Commit(0); run Commit(1)
#else
  stored(1, CHUNK(1)); stored(2, CHUNK(2)); stored(3, 0);      /* part 1 has empty files only */
  run Commit(0); run Commit(1); run Time()
#endif
}
