/* What forks mean for content: three syncs without --track-deletes, which sleep anywhere, one of which comes twice, and a
 * prune with --keep-last 1. A version lists the files of its writer, and what the last version in order lists when it looks. */
byte entries[LAST];                /* whose files: a bit each; 1: those of the first version */
byte writer[LAST];
byte knows[LAST];                  /* the versions that its writer has seen by the time it says success */
byte all_;

inline see(up_) {
  v_ = 1;
  do :: v_ < LAST -> if :: rec[v_] != FREE -> knows[up_] = knows[up_] | (1 << v_) :: else fi; v_++ :: else -> break od;
  v_ = 0
}

proctype ForkingSync(byte me; byte id) {
  byte o, before, top;
again:
  atomic { newest(o); entries[id] = entries[o] | (1 << me); writer[id] = me; see(id); highest(o); o++ }
  atomic {
    there = there | MANIFEST(id); stands[id] = 1; before = 0; v_ = 1;
    do :: v_ < LAST -> if :: reported[v_] -> before = before | (1 << v_) :: else fi; v_++ :: else -> break od;
    v_ = 0
  }
#ifndef NO_LIST_BEFORE_RECORD
  atomic {                         /* an ordinal that is taken by now: it compares again, under a new id */
    see(id); highest(top);
    if
    :: top >= o && id + 3 < LAST -> id = id + 3; top = 0; goto again
    :: top >= o && id + 3 >= LAST -> goto done
    :: top < o -> top = 0
    fi
  }
#endif
  atomic { putRecord(id, o) }
  atomic {
#ifndef NO_LIST_AFTER_RECORD
    see(id);                       /* what has its ordinal, or a higher one, is told */
#endif
    if :: rec[id] != VERSION -> goto done :: else fi;
    reported[id] = true; v_ = 1;
    do                             /* it comes after what was reported before it began to commit */
    :: v_ < LAST -> assert((before & (1 << v_)) == 0 || ord[v_] < o); v_++
    :: else -> break
    od;
    v_ = 0;
    if :: me == 1 && id + 3 < LAST -> id = id + 3; goto again :: else fi
  }
done: skip;
  d_step { o = 0; id = 0; before = 0; top = 0 }
}

/* A fork is retired only once its own writer has made a later version: what follows it builds on one of its ordinal only. */
inline mayRetire(up_, yes_) {
  yes_ = true;
#ifndef RETIRE_FORKS
  n_ = 1;
  do :: n_ < LAST -> yes_ = yes_ && !(n_ != up_ && rec[n_] != FREE && ord[n_] == ord[up_]); n_++ :: else -> break od;
  n_ = 1;
  do :: n_ < LAST -> yes_ = yes_ || rec[n_] == VERSION && ord[n_] > ord[up_] && writer[n_] == writer[up_]; n_++ :: else -> break od;
  n_ = 0
#endif
}

proctype ForkPrune() {
  byte top, o = 1, old; bool yes;
  atomic {
    newest(top); v_ = 1;
    do
    :: v_ < LAST ->
       if :: rec[v_] == VERSION && ord[v_] < ord[top] -> mayRetire(v_, yes); old = (yes -> old | (1 << v_) : old) :: else fi;
       v_++
    :: else -> break
    od;
    v_ = 0; top = 0; yes = 0
  }
  do
  :: old != 0 -> atomic { if :: (old & (1 << o)) != 0 -> retire(o); old = old & ~(1 << o) :: else fi; o++ }
  :: else -> break
  od;
  o = 0
}

proctype ForkReaders() {
  byte a, b;
end:
  do
  :: d_step {
       noHeadRetired(b); a = 1;
       do :: a < LAST -> if :: rec[a] == VERSION -> all_ = all_ | entries[a] :: else fi; a++ :: else -> break od;
       a = 1;
       do
       :: a < LAST ->
          assert(!reported[a] || (entries[a] & ~all_) == 0);     /* each of its files is in a version that is listed */
          b = 1;
          do                       /* of any two, the writer of one has seen the other */
          :: b < a -> assert(!reported[a] || !reported[b] || (knows[a] & (1 << b)) != 0 || (knows[b] & (1 << a)) != 0); b++
          :: else -> break
          od;
          a++
       :: else -> break
       od;
       a = 0; b = 0; all_ = 0
     }
  od
}

inline start() {
  version(1, 1, 0, 0, 0); ord[1] = 1; reported[1] = true; entries[1] = 1;
  run ForkReaders(); run ForkingSync(1, 2); run ForkingSync(2, 3); run ForkingSync(3, 4); run ForkPrune()
}
