/* One upload, two processes. JOURNAL: a copied home, or two containers that share one, both resume what a killed run has
 * sent (chunk 0 of upload 1); each takes an upload id of its own. FORK: a machine that was cloned while the upload ran, so
 * that both go by one id, put the same bytes under the same keys, and take what they find there for their own. Either may
 * fail and take back what it has sent. */
byte fence;                        /* bit u: a fence lies at the manifest key of upload u */
#if defined(FORK) || defined(KEEP_ID)
#define ID(me) 1
#define SENT(me) CHUNK(1)
#else
#define ID(me) (2 + (me))
#define SENT(me) CHUNK(2 + (me))
#endif

proctype Clone(byte me) {
  byte o; int names, mine;
  atomic { look(me); names = (USABLE(CHUNK(0)) -> CHUNK(0) : 0) }
  atomic {                         /* if-none-match; equal bytes are taken for its own */
    if
    :: (there & SENT(me)) == 0 -> there = there | SENT(me); mine = SENT(me)
#ifdef CLEAN_AT_ONCE
    :: (there & SENT(me)) != 0 -> mine = SENT(me)
#else
    :: (there & SENT(me)) != 0
#endif
    fi;
    names = names | SENT(me)
  }
  if :: skip :: goto clean :: goto done fi;            /* goes on, fails, is killed */
  atomic { look(me); if :: USABLE(names) :: else -> goto clean fi }
  if :: skip :: goto clean :: goto done fi;
  atomic {
    if
    :: (fence & (1 << ID(me))) != 0 -> goto done       /* on under a new id: an upload like any other */
    :: (fence & (1 << ID(me))) == 0 && (there & MANIFEST(ID(me))) == 0 ->
       there = there | MANIFEST(ID(me)); refs[ID(me)] = names; stands[ID(me)] = 1
    :: (there & MANIFEST(ID(me))) != 0 && refs[ID(me)] == names
    :: (there & MANIFEST(ID(me))) != 0 && refs[ID(me)] != names -> goto done
    fi
  }
  atomic {                         /* the record; one that names this manifest is its own */
    head(o);
    if
    :: o > 0 && rec[o] == VERSION && man[o] == ID(me)
    :: else ->
       o++;
       if :: o >= LAST -> goto done :: else fi;
       rec[o] = VERSION; man[o] = ID(me); accepts[o] = 1; view[o] = names
    fi;
    settle(me)
  }
  atomic { if :: rec[o] == VERSION && USABLE(names | MANIFEST(ID(me))) -> reported[o] = true :: else fi; goto done }
clean:
#ifdef CLEAN_AT_ONCE
#elif defined(FORK) && !defined(CLEAN_UNFENCED)
  atomic { if :: (there & MANIFEST(ID(me))) == 0 -> fence = fence | (1 << ID(me)) :: else -> goto done fi }
#else
  atomic { if :: (there & MANIFEST(ID(me))) != 0 -> goto done :: else fi }     /* a LIST, and then the requests to delete */
#endif
  there = there & ~mine;
done: skip;
  d_step { settle(me); o = 0; names = 0; mine = 0 }
}

inline start() {
  there = CHUNK(0);
#ifdef JOURNAL
  markable = 65535 & ~CHUNK(0);
#endif
  run Clone(0); run Clone(1); run Prune(); run Sweep()
}
