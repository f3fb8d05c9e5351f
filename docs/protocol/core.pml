/* Writers, rivals, prunes, sweeps. v1 holds chunk 0, v2 (HEAD) does not need it any more; writers may refer to it again.
 * With SUSPEND everybody may sleep for longer than the grace, also between its last look and its record. */
byte entries[LAST];                /* whose files a version lists: without --track-deletes nothing vanishes */

proctype Writer(byte me) {
  byte o, list; int wanted; bool overslept;
again:
  atomic {                         /* LIST of records and of the folder: is the chunk there without a mark? */
    overslept = false;
    look(me);
    wanted = (USABLE(CHUNK(0)) -> CHUNK(0) : 0);       /* else its content is sent again, under a new key */
    head(o);
#ifdef LOSER_KEEPS_LISTING
    list = (list == 0 -> entries[o] | HOLDER(me) : list);
#else
    list = entries[o] | HOLDER(me);
#endif
    o++;
#ifdef REUSE
    o = 1; do :: o < LAST - 1 && rec[o] != FREE -> o++ :: else -> break od;
#endif
    if :: o >= LAST || rec[o] != FREE -> goto done :: else fi
  }
#ifndef RESTORE
  if :: skip :: goto done fi;      /* it may crash */
#endif
#if defined(SUSPEND) || defined(UNDELETE)
  atomic {                         /* has the look become more than an hour old? */
    if
    :: (slept & HOLDER(me)) == 0
#ifdef NO_LOOK_BEFORE
    :: else -> overslept = true
#else
    :: else -> goto again
#endif
    fi
  }
#endif
  atomic {                         /* record, if-none-match */
    if
#ifdef NO_CREATE_ONCE
    :: rec[o] == TOMBSTONE -> goto again               /* a version is overwritten, as some stores do */
#else
    :: rec[o] != FREE -> goto again
#endif
    :: else ->
       assert(o == 1 || (entries[o - 1] & ~list) == 0);
       broken[o] = (slept & HOLDER(me)) != 0 && !overslept;
       version(o, o, wanted, 0, wanted); entries[o] = list; settle(me)
    fi
  }
#ifndef RESTORE
  if :: skip :: goto done fi;
#endif
  atomic {                         /* the look after the record */
    if
    :: rec[o] != VERSION
#if !defined(SUSPEND) && !defined(UNDELETE)
    :: rec[o] == VERSION && (wanted & ~there) != 0 -> assert(false)
#endif
#ifdef NO_SECOND_LOOK
    :: rec[o] == VERSION -> reported[o] = true
#else
    :: rec[o] == VERSION && USABLE(wanted) -> reported[o] = true
    :: rec[o] == VERSION && !USABLE(wanted) -> goto again    /* not whole: the next version has it */
#endif
    fi
  }
done: skip;
  d_step { settle(me); o = 0; list = 0; wanted = 0; overslept = false }
}

#ifdef REFER_FOREIGN
int foreign;
proctype ForeignWriter() {         /* a writer of another dataset, whose records this dataset's sweep does not read */
  atomic { look(1); foreign = (USABLE(CHUNK(0)) -> CHUNK(0) : 0) }
  settle(1);
end: do :: d_step { assert((foreign & ~there) == 0) } od
}
#endif

#ifndef UNDELETE
inline start() {
  there = CHUNK(0);
  version(1, 1, CHUNK(0), 0, CHUNK(0)); reported[1] = true; entries[1] = 4;
  version(2, 2, 0, 0, 0); reported[2] = true; entries[2] = 4;
  run Writer(0);
#ifdef REFER_FOREIGN
  run ForeignWriter();
#else
  run Writer(1);
#endif
  run Prune(); run Sweep();
#ifdef RESTORE
  run Prune(); run Restore()
#endif
#ifdef SUSPEND
  run Sweep()
#endif
#ifdef CORE
  run Prune(); run Sweep()
#endif
}
#endif
