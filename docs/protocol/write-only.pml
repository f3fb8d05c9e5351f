/* Two writers that may not read. One may list: its baseline is its cache, and every key of a marked folder counts as
 * marked. The other may only put: full versions of its own only, ordinals from its cache, 412 means the next one; when the
 * answer to its record was lost that makes a second record of the same upload, which harms nobody. */
#define FOLDER1 (MANIFEST(1) | CHUNK(0) | CHUNK(1))
byte by[LAST];

proctype ListOnly() {
  byte o; int wanted;
again:
  atomic {
    look(0); head(o); o++;
    if
#ifdef TRUST_CACHE
    :: true -> wanted = CHUNK(0)
#else
#ifdef READ_MARK_BY_KEY
    :: (there & CHUNK(0)) != 0 -> wanted = CHUNK(0)    /* it cannot GET the mark, so it overlooks it */
#else
    :: (there & CHUNK(0)) != 0 && (MARKED & FOLDER1) == 0 -> wanted = CHUNK(0)
#endif
    :: else -> wanted = 0
#endif
    fi;
    if :: o >= LAST -> goto done :: else fi
  }
  if :: skip :: goto done fi;
  atomic {
    if
    :: rec[o] != FREE -> goto again
    :: else -> version(o, o, wanted, 0, wanted); by[o] = 1; settle(0)
    fi
  }
  atomic {
    if
    :: rec[o] != VERSION
    :: rec[o] == VERSION && (wanted == 0 || USABLE(wanted) && (MARKED & FOLDER1) == 0) -> reported[o] = true
    :: else -> goto again
    fi
  }
done: skip;
  d_step { settle(0); o = 0; wanted = 0 }
}

proctype PutOnly() {
  byte o = 1, id; bool unknown;
  atomic { look(1) }               /* it reads its clock: past the hour it starts again under a new id */
  do
  :: o >= LAST -> break
  :: o < LAST ->
     atomic {
       if
#ifdef TAKE_412_AS_OWN
       :: rec[o] != FREE -> assert(by[o] == 2); break
#else
       :: rec[o] != FREE -> o++
#endif
       :: rec[o] == FREE && id == 0 ->
          id = o; by[o] = 2;
#ifdef DELTA_ON_CACHE
          version(o, id, 0, 1, FOLDER1 & CHUNKS);
#else
          version(o, id, 0, 0, 0);
#endif
          if :: reported[o] = true; break :: unknown = true fi       /* the answer may be lost */
       :: rec[o] == FREE && id != 0 ->
          rec[o] = VERSION; man[o] = id; accepts[o] = 1 << digest[id]; view[o] = view[id]; by[o] = 2;
          reported[o] = true; break
       fi
     }
  od;
  atomic { settle(1); o = 0; id = 0; unknown = false }
}

inline start() {
  there = CHUNK(0) | CHUNK(1);
  version(1, 1, CHUNK(0) | CHUNK(1), 0, CHUNK(0) | CHUNK(1)); reported[1] = true;
  version(2, 2, CHUNK(1), 0, CHUNK(1)); reported[2] = true;
  run ListOnly(); run PutOnly(); run Prune(); run Prune(); run Sweep()
}
