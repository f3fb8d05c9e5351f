/* A retired version comes back: v1 holds chunk 0, a prune retires it, two people bring it back, and it may be retired again. Time counts
 * here: what is LATE is an hour before the end of the grace, and whoever has looked and not put its record when that hour is over has
 * slept. Everybody may sleep, also between the last check and the record's arrival. */
#define NEW 0
#define LATE 1
#define OVER 2
/* `late`: of a mark, which a sweep executes when its grace is over. How old the tombstone is does not count. */
proctype Grace() {
end:
  do
  :: d_step { mark[0] != 0 && late[0] == NEW -> late[0] = LATE }
  :: d_step { mark[1] != 0 && late[1] == NEW -> late[1] = LATE }
  :: d_step { mark[0] != 0 && late[0] == LATE -> late[0] = OVER; slept = slept | looking }
  :: d_step { mark[1] != 0 && late[1] == LATE -> late[1] = OVER; slept = slept | looking }
  od
}

#ifdef NO_AGE_CHECK
#define SAFE(objects, from) (((objects) & ~there) == 0)
#else
#define NAMES(m, objects, from) ((mark[m] & (objects)) != 0 && late[m] >= (from))
#define SAFE(objects, from) (((objects) & ~there) == 0 && !NAMES(0, objects, from) && !NAMES(1, objects, from))
#endif

/* The ETag of a tombstone is `change`; that of the record made from it is one higher, whoever makes it, since it names when it was
 * retired. The same tombstone has the same ETag again. */
proctype Undelete(byte me) {
  int need; byte seen;
  atomic {
    if
    :: rec[1] == TOMBSTONE ->
       look(me); seen = change[1]; closure(1, need);
       if :: SAFE(need, LATE) :: else -> goto done fi
    :: rec[1] != TOMBSTONE -> goto done
    fi
  }
  if :: skip :: goto done fi;
  atomic { if :: (slept & HOLDER(me)) != 0 -> goto done :: else fi }    /* more than an hour since the look */
  atomic {
    if
#ifdef NO_IF_MATCH
    :: true ->
#else
    :: rec[1] == TOMBSTONE && change[1] == seen ->
#endif
       reported[1] = reported[1] && !retired[1];              /* what was said of it before it was retired is over */
       rec[1] = VERSION; change[1] = seen + 1; retired[1] = false;
       broken[1] = (slept & HOLDER(me)) != 0
#ifndef NO_IF_MATCH
    :: else -> goto done
#endif
    fi
  }
  if :: skip :: goto done fi;      /* killed: listed, and nobody has said success */
  atomic {
    if
    :: rec[1] != VERSION           /* retired again */
#ifdef NO_LOOK_AFTER
    :: rec[1] == VERSION && change[1] == seen + 1 -> reported[1] = true
    :: rec[1] == VERSION && change[1] != seen + 1
#else
#ifdef SAME_RECORD
    :: rec[1] == VERSION && SAFE(need, OVER) -> reported[1] = true
    :: rec[1] == VERSION && !SAFE(need, OVER) ->
#else
    :: rec[1] == VERSION && change[1] != seen + 1             /* retired again, and brought back by somebody who may not have looked */
    :: rec[1] == VERSION && change[1] == seen + 1 && SAFE(need, OVER) -> reported[1] = true
    :: rec[1] == VERSION && change[1] == seen + 1 && !SAFE(need, OVER) ->
#endif
       assert(!reported[1]);       /* nobody was told that it is back */
       rec[1] = TOMBSTONE; change[1] = seen; retired[1] = true
#endif
    fi
  }
done: skip;
  d_step { settle(me); need = 0; seen = 0 }
}

inline start() {
  there = CHUNK(0);
  version(1, 1, CHUNK(0), 0, CHUNK(0)); reported[1] = true; entries[1] = 4;
  version(2, 2, 0, 0, 0); reported[2] = true; entries[2] = 4;
  run Prune(); run Sweep(); run Undelete(1); run Grace();
#ifdef UNDELETE_AGAIN
  run Prune(); run Undelete(2)
#else
  run Sweep(); run Writer(0)
#endif
}
