/* What a prune may retire, and what a writer believes of a store that shows nothing.
 * JUDGED: a key that can only put, in other hands, or a folder that was empty for some nights, gives the dataset empty versions
 * with whatever dates; another writer took 40 days, and its date says so. A prune keeps the last version, or what is young.
 * VANISHED: the disk is not mounted for a while: what is put meanwhile is not there when it is. */
#define OLD 1
byte dated[LAST];                  /* by the writer's date */
byte aged[LAST];                   /* by the store's clock: OLD for what was there at the start */

#ifdef JUDGED
proctype Empty() {                 /* one or two of them */
  byte o, more = 2;
  do
  :: more > 0 ->
     atomic { head(o); o++; if :: o >= LAST -> break :: else -> version(o, o, 0, 0, 0); dated[o] = OLD; more-- fi }
  :: more < 2 -> break
  od;
  skip;
  d_step { o = 0; more = 0 }
}
proctype Slow() {                  /* sends the content again */
  byte o;
  there = there | CHUNK(1);
  atomic { head(o); o++; if :: o >= LAST :: else -> version(o, o, CHUNK(1), 0, CHUNK(1)); dated[o] = OLD; reported[o] = true fi; o = 0 }
}
#ifdef WRITERS_CLOCK
#define GOES(o) (within -> dated[o] == OLD : true)
#else
#define GOES(o) (within -> aged[o] == OLD : true)
#endif
proctype JudgingPrune() {
  byte newest, o; bool within, some, kept;
  if :: within = true :: skip fi;                      /* --keep-within, or --keep-last 1 */
  atomic {                         /* views, as readers compute them */
    head(newest); o = 1;
    do
    :: o <= newest ->
       if
       :: rec[o] == VERSION && o != newest && GOES(o) -> some = some || view[o] != 0
       :: rec[o] == VERSION && !(o != newest && GOES(o)) -> kept = kept || view[o] != 0
       :: else
       fi; o++
    :: else -> break
    od;
    o = 1
  }
#ifndef CONTENT_FOR_NOTHING
  if :: some && !kept -> goto done :: else fi;         /* exit 4 */
#endif
  do
  :: o < newest ->
     atomic {
       if :: rec[o] == VERSION && GOES(o) -> assert(!within || aged[o] == OLD); retire(o) :: else fi;
       o++
     }
  :: else -> break
  od;
done: skip;
  d_step { newest = 0; o = 0; within = false; some = false; kept = false }
}
proctype Content() {
end:
  do
  :: d_step {                      /* what was archived is in some version */
       v_ = 1; ok_ = false;
       do :: v_ < LAST -> ok_ = ok_ || (rec[v_] == VERSION && view[v_] != 0); v_++ :: else -> break od;
       assert(ok_); v_ = 0; ok_ = false
     }
  od
}
inline start() {
  there = CHUNK(0);
  version(1, 1, CHUNK(0), 0, CHUNK(0)); reported[1] = true; dated[1] = OLD; aged[1] = OLD;
  run Empty(); run Slow(); run JudgingPrune(); run JudgingPrune(); run Content()
}
#endif

#ifdef VANISHED
bool mounted = true;
proctype Disk() { mounted = false; mounted = true }
proctype Remembering() {
  byte o;
  atomic { if :: mounted -> head(o) :: else -> o = 0 fi }
#ifndef NO_MEMORY
  if :: o == 0 -> goto done :: else fi;                /* version 1 was there: another place, or none */
#endif
  atomic {
    o++;
    if
    :: mounted && rec[o] == FREE -> version(o, o, 0, 0, 0); reported[o] = true
    :: mounted && rec[o] != FREE   /* a rival: again, as ever */
    :: !mounted && o == 1 -> reported[2] = true        /* a whole archive on the root disk, exit 0 */
    :: !mounted && o > 1           /* no such folder */
    fi
  }
done: o = 0
}
inline start() {
  version(1, 1, 0, 0, 0); reported[1] = true;
  run Disk(); run Remembering()
}
#endif
