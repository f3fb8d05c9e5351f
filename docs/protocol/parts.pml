/* One version by many workers: a plan of two parts. Attempts 1 and 2 are at part 0, 3 and 4 at part 1. Anybody sleeps anywhere for longer
 * than the grace, or is killed there, which is a sleep that does not end; a request whose sender is gone is one that sleeps before it.
 * The plan is upload 2, its head manifest 2. An attempt's folder is its chunk, with the segment that names it. `names` says what a
 * segment refers to: that chunk or, where content has not changed, chunk 0 of version 1, with which the plan was compared. */
#define PLAN 2
#define ATTEMPT(a) (1 << (a))
#define RIVALS(a) ((a) <= 2 -> 6 : 24)                 /* the attempts at the same part */
#define FOLDERS (CHUNK(1) | CHUNK(2) | CHUNK(3) | CHUNK(4))
#ifdef PARTS_PLAIN_STORE
#define PLANNED (MANIFEST(2) | MANIFEST(3) | FOLDERS)
#else
#define PLANNED (MANIFEST(PLAN) | FOLDERS)
#endif
#ifdef KEEP_ID
#define SENT(a) CHUNK(RIVALS(a) == 6 -> 1 : 3)          /* a requeued job goes on under the id of the one before */
#else
#define SENT(a) CHUNK(a)
#endif
int names[5];
byte results;                      /* bit a: the result of attempt a lies below the plan */
bool over;                         /* for 7 days nobody has written anything of the plan */

#ifdef LOOK_AT_ATTEMPTS             /* and not at what their segments refer to elsewhere */
#define WHOLE(objects) USABLE((objects) & (PLANNED))
#else
#define WHOLE(objects) USABLE(objects)
#endif
#define SOUND(a) ((results & ATTEMPT(a)) != 0 && WHOLE(names[a]))
#define DONE(a) (RIVALS(a) == 6 -> (SOUND(1) || SOUND(2)) : (SOUND(3) || SOUND(4)))

inline recordOf(at_) {             /* LIST of the records: the ordinal at which a version, or a tombstone, names the plan */
  at_ = LAST - 1;
  do :: at_ > 0 && !(rec[at_] != FREE && man[at_] == PLAN) -> at_-- :: else -> break od
}
inline written(objects_) {         /* the plan and all its attempts are of one age: that of the newest object */
#ifdef ABANDON_ALONE
  markable = markable & ~(objects_)
#else
  markable = markable & ~PLANNED
#endif
}

proctype Time() {
  if
#ifdef ABANDON_ALONE
  :: atomic { markable = markable | (results & 30) << 8 }      /* others are at work still */
#endif
  :: atomic { markable = 65535; slept = slept | looking; over = true }
  fi;
#ifdef PARTS_PLAIN_PRUNES
  atomic { keep(y_); putMark(there & ~y_); y_ = 0 }    /* an earlier prune */
#endif
}

#define ITS(set) (((set) & 30) << 8)                   /* the folders of a set of attempts */
/* What a head may still name. Who has no result by then will never be named: his folder is marked, whatever he puts. */
#define NAMEABLE (PLANNED & ~FOLDERS | ITS(results))
inline take(a_) {                  /* of each part the first by id that is sound */
  if
#ifdef TAKE_ALL
  :: SOUND(a_) && SOUND(a_ + 1) -> mine = mine | ATTEMPT(a_) | ATTEMPT(a_ + 1)
#endif
  :: SOUND(a_) -> mine = mine | ATTEMPT(a_)
  :: !SOUND(a_) && SOUND(a_ + 1) -> mine = mine | ATTEMPT(a_ + 1)
  :: else
  fi
}
#define NAMES(set) (((set) & 2) / 2 * names[1] | ((set) & 4) / 4 * names[2] | ((set) & 8) / 8 * names[3] | ((set) & 16) / 16 * names[4])

inline stored(a_, names_) { there = there | names_; names[a_] = names_; results = results | ATTEMPT(a_) }
