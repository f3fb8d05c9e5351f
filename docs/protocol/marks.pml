/* Marks, the grace, and the two who handle them: prune (retires, marks) and sweep (the only deleter).
 * Time is what the rules make of it. A holder is a process that has looked and has not put its record yet. `pending` are
 * those who looked before the mark was put; the grace is longer than anybody may take from the look to the record, so a
 * sweep waits until nobody is pending. Only suspend.pml lets it pass all the same. */
#define MARKS 2
#define HOLDER(h) (1 << (h))
int mark[MARKS];                   /* the objects that a mark names; 0: no such mark */
byte pending[MARKS];
byte looking;                      /* holders */
byte slept;                        /* holders for whom a grace has passed since their look: suspended processes */
#define MARKED (mark[0] | mark[1])
#ifdef UNDELETE
byte late[MARKS];                  /* see undelete.pml */
#endif
int markable = 65535;              /* what is not of an upload that still runs, so not yet abandoned */

inline look(who_) {                   /* LIST of the folder: from now on this holder knows all marks */
  looking = looking | HOLDER(who_); slept = slept & ~HOLDER(who_);
  pending[0] = pending[0] & ~HOLDER(who_); pending[1] = pending[1] & ~HOLDER(who_)
}
inline settle(who_) {                 /* its record is there, or it is dead */
  looking = looking & ~HOLDER(who_); slept = slept & ~HOLDER(who_);
  pending[0] = pending[0] & ~HOLDER(who_); pending[1] = pending[1] & ~HOLDER(who_)
}

/* May what the look found be referred to? */
#ifdef NO_MARK_CHECK
#define USABLE(objects) (((objects) & ~there) == 0)
#else
#define USABLE(objects) (((objects) & ~there) == 0 && ((objects) & MARKED) == 0)
#endif

inline putMark(named_) {
  if
  :: (named_) == 0
  :: else ->
     if
     :: mark[0] == 0 -> mark[0] = named_; pending[0] = looking
     :: mark[0] != 0 && mark[1] == 0 -> mark[1] = named_; pending[1] = looking
     :: else                       /* no room in the model: a later prune would put it */
     fi
  fi
}

/* keep-last 1: all but HEAD become tombstones, one PUT each; then what nobody needs is marked. */
inline retire(old_) {
  if
  :: rec[old_] == VERSION ->
#ifdef REUSE
     rec[old_] = FREE; view[old_] = 0
#else
     rec[old_] = TOMBSTONE; change[old_]++
#endif
     retired[old_] = true
#ifdef RESTORE
     ; young[old_] = restoring
#endif
  :: else
  fi
}
proctype Prune() {
  byte newest, o = 1;
  int garbage;
  d_step { head(newest); skip }
#ifdef RETIRE_HEAD
  newest++;
#endif
  do
  :: o < newest -> atomic { retire(o); o++ }
  :: o < newest -> break           /* crashes, or keeps more */
  :: else -> break
  od;
  atomic { keep(garbage); garbage = there & ~garbage & ~MARKED & markable; }
  d_step { putMark(garbage); garbage = 0; o = 0; newest = 0 }
}

#ifdef NO_GRACE
#define RIPE(m) (mark[m] != 0)
#else
#ifdef SUSPEND
#define RIPE(m) (mark[m] != 0)
#elif defined(UNDELETE)
#define RIPE(m) (mark[m] != 0 && late[m] == 2)
#else
#define RIPE(m) (mark[m] != 0 && pending[m] == 0)
#endif
#endif

/* It may be suspended between the LIST and any of its deletes for as long as it likes. */
proctype Sweep() {
  int doomed, named; byte m;
end:
  do
  :: atomic {
       if
       :: RIPE(0) -> m = 0
       :: RIPE(1) -> m = 1
       fi;
#ifdef SUSPEND
       slept = slept | pending[m];
#endif
#ifdef NO_FRESH_LIST
       named = 0;                  /* what the prune found is believed */
#else
       keep(named);
#endif
       doomed = mark[m] & ~named;
#ifdef DROP_NEEDED_MARK
       named = mark[m]
#else
       named = doomed              /* a mark stays as long as one of its keys is needed (again) */
#endif
     }
     do
     :: doomed != 0 ->             /* the lowest bit first: manifests go before chunks */
        d_step { there = there & ~(doomed & -doomed); doomed = doomed & (doomed - 1) }
     :: else -> break
     od;
     atomic {
       mark[m] = mark[m] & ~named;
       if
       :: mark[m] == 0 -> pending[m] = 0
#ifdef UNDELETE
          ; late[m] = 0
#endif
       :: else
       fi;
       named = 0; m = 0
     }
  od
}
