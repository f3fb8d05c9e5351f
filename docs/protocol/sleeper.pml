/* An upload that may sleep for longer than the grace anywhere: after its chunks, before its manifest, before its record.
 * Prunes take it for abandoned meanwhile, and sweeps, which may be interrupted anywhere, fence it before they delete
 * anything of it. What it has sent may have been lost by the store. Its manifest and its record are steps of their own. */
byte fence;                        /* bit u: a fence lies at the manifest key of upload u */
#define LAST_ID 3                  /* uploads 2 and 3 are the writer's */
/* Chunks 1 and 2 lie in the folder of upload 2, chunk 3 in that of upload 3. */
#define FOLDER(u) ((u) == 2 -> (CHUNK(1) | CHUNK(2)) : CHUNK(3))

proctype Sleeper() {
  byte o, id = 2, n = 1; int names;
send:
  atomic {
    if :: n == 3 -> id = 3 :: else fi;
    if :: there = there | CHUNK(n) :: skip fi;         /* acknowledged, and perhaps lost */
    names = CHUNK(n)
  }
before:
  if :: skip :: goto done fi;
  atomic {                         /* LIST of the own folder: present, unmarked? */
    look(0);
    if
    :: USABLE(names)
#ifdef NO_LOOK_AT_OWN
    :: else
#else
    :: else -> n++;                /* sent again under a new number */
       if :: n > 3 -> goto done :: else -> goto send fi
#endif
    fi
  }
  if :: skip :: goto done fi;
  atomic {                         /* manifest, if-none-match */
    if
    :: (fence & (1 << id)) != 0 ->                     /* a new id, which refers to what is sound in the old folder */
       if
       :: id == 2 -> id = 3; if :: USABLE(names) -> goto before :: else -> n = 3; goto send fi
       :: else -> goto done
       fi
    :: else ->
       there = there | MANIFEST(id); refs[id] = names; stands[id] = 1;
       /* No sweep has begun to delete in its own folder: it would have fenced. What it refers to may be gone by now. */
       if :: (names & FOLDER(id)) != 0 -> slept = slept & ~HOLDER(0) :: else fi
    fi
  }
  if :: skip :: goto done fi;
record:
  atomic {
    head(o); o++;
    if :: o >= LAST -> goto done :: else fi;
    rec[o] = VERSION; man[o] = id; accepts[o] = 1; view[o] = names;
    broken[o] = (slept & HOLDER(0)) != 0;
    settle(0)
  }
  if :: skip :: goto done fi;
  atomic {                         /* the own folder once more: manifest, chunks, marks */
    if
    :: rec[o] != VERSION
#ifdef NO_LOOK_AT_OWN_AFTER
    :: rec[o] == VERSION -> reported[o] = true
#else
    :: rec[o] == VERSION && USABLE(names | MANIFEST(id)) -> reported[o] = true
    :: rec[o] == VERSION && !USABLE(names | MANIFEST(id)) ->
       if :: id == 2 -> n = 3; goto send :: else fi    /* the next version is whole, or it says which one is not */
#endif
    fi
  }
done: skip;
  d_step { settle(0); o = 0; id = 0; n = 0; names = 0 }
}

/* Uploads that no record names, a bit each. */
inline recordless(ids_) {
  ids_ = 12; v_ = 1;
  do :: v_ < LAST -> if :: rec[v_] != FREE -> ids_ = ids_ & ~(1 << man[v_]) :: else fi; v_++ :: else -> break od;
  v_ = 0
}
#define OF(u) (doomed & (FOLDER(u) | MANIFEST(u)))

proctype FencingSweep() {
  int doomed, named, seen; byte m, u, open;
end:
  do
  :: atomic {                      /* everybody may have slept: a mark is always old enough */
       if :: mark[0] != 0 -> m = 0 :: mark[1] != 0 -> m = 1 fi;
       slept = slept | pending[m];
       keep(named); doomed = mark[m] & ~named; named = doomed; seen = there; recordless(open);
       u = 2
     }
#ifndef NO_FENCE
     do
     :: u <= LAST_ID ->
        atomic {
          if
          :: OF(u) == 0 || (open & (1 << u)) == 0
          :: OF(u) != 0 && (open & (1 << u)) != 0 ->
             if
             :: (there & MANIFEST(u)) == 0 -> fence = fence | (1 << u)         /* if-none-match */
#ifdef FENCE_OVER_ANY
             :: (there & MANIFEST(u)) != 0 && (seen & MANIFEST(u)) != 0 ->
#else
             :: (there & seen & named & MANIFEST(u)) != 0 ->                   /* if-match: the one that the mark names */
#endif
                there = there & ~MANIFEST(u); fence = fence | (1 << u)
             :: else -> doomed = doomed & ~(FOLDER(u) | MANIFEST(u))           /* it has gone on since the mark: let go */
             fi
          fi;
          u++
        }
     :: else -> break
     od;
#endif
     do
     :: doomed != 0 -> d_step { there = there & ~(doomed & -doomed); doomed = doomed & (doomed - 1) }
     :: doomed != 0 -> goto killed
     :: else -> break
     od;
     atomic {
#ifdef FENCE_GOES
       if :: (named & (FOLDER(2) | MANIFEST(2))) != 0 -> fence = fence & ~(1 << 2) :: else fi;
#endif
       keep(seen); named = named & ~seen & ~there;
       mark[m] = mark[m] & ~named;
       if :: mark[m] == 0 -> pending[m] = 0 :: else fi
     };
killed:
     skip;
     d_step { doomed = 0; named = 0; seen = 0; m = 0; u = 0; open = 0 }
  od
}

inline start() {
  there = CHUNK(0);
  version(1, 1, CHUNK(0), 0, CHUNK(0)); reported[1] = true;
  run Sleeper(); run Prune(); run Prune(); run FencingSweep()
}
