/* Upload 2, which has sent its chunk, goes on as upload 4; deltas to the last version in order are uploads 3 and 5. They may
 * sleep anywhere. */
proctype PlainWriter(byte me; byte id; bool isDelta) {
  byte o, below, old; int needs;
again:
  atomic {                         /* LIST of the own folder, and of what it refers to */
    look(me);
    if
    :: isDelta -> newest(below); closure(below, needs); if :: USABLE(needs) :: else -> below = 0; needs = 0 fi
    :: !isDelta && id != 2 -> there = there | OWN(id)
    :: else
    fi;
    if :: USABLE(OWN(id)) :: else -> goto other fi
  }
#ifdef LOOK_BEFORE_MANIFEST
  if :: flags[id] == 0 :: else -> goto other fi;
#endif
  atomic {
    there = there | MANIFEST(id); refs[id] = OWN(id); base[id] = below; stands[id] = 1; view[id] = (needs | OWN(id)) & CHUNKS;
    look(ABOUT(me))                /* no mark names this manifest yet, so whoever sweeps by one lets go */
  }
#if !defined(NO_LIST_AFTER_MANIFEST) && !defined(LOOK_BEFORE_MANIFEST)
  if :: flags[id] == 0 :: else -> goto other fi;
#endif
  atomic {                         /* LIST of the records; what it refers to is looked at again after an hour */
    highest(o); o++;
    if :: below != 0 && o != ord[below] + 1 -> goto other :: else fi;
    if :: needs != 0 && (slept & HOLDER(me)) != 0 -> look(me); if :: USABLE(needs) :: else -> goto other fi :: else fi
  }
#ifdef LOOK_BEFORE_RECORD
  if :: flags[id] == 0 && USABLE(needs | FOLDER(id)) :: else -> goto other fi;
#endif
  do
  :: atomic {
       putRecord(id, o);
       broken[id] = (slept & HOLDER(ABOUT(me))) != 0 || needs != 0 && (slept & HOLDER(me)) != 0;
       if :: break :: skip fi      /* the answer was lost: it is put again, perhaps over the tombstone of a prune */
     }
  od;
  atomic {                         /* LIST of the records, of the own folder, and of what it refers to */
    settle(me); settle(ABOUT(me));
    if
    :: rec[id] != VERSION -> goto done
#if defined(NO_LIST_AFTER_RECORD) || defined(LOOK_BEFORE_RECORD)
    :: rec[id] == VERSION -> reported[id] = true
#else
    :: rec[id] == VERSION && flags[id] == 0 && USABLE(needs | FOLDER(id)) -> reported[id] = true
    :: else -> goto other
#endif
    fi
  }
  atomic {                         /* only now: until then a prune may have counted it (TOMBSTONE_FIRST) */
#ifndef KEEP_OWN_RECORD
    if :: old != 0 -> rec[old] = TOMBSTONE :: else fi;
#endif
    assert(old == 0 || rec[old] != VERSION);           /* who says success leaves nothing listed that may not be whole */
    goto done
  }
other:
  atomic {
    settle(me); settle(ABOUT(me));
    if :: rec[id] == VERSION -> old = id :: else fi;
#ifdef TOMBSTONE_FIRST
    if :: old != 0 -> rec[old] = TOMBSTONE; old = 0 :: else fi;
#endif
    if :: id + 2 >= LAST -> goto done :: else fi;      /* exit 1, and it says which version is not whole */
    id = id + 2
  }
  goto again;
done: skip;
  d_step { settle(me); settle(ABOUT(me)); o = 0; id = 0; below = 0; old = 0; needs = 0 }
}
