/* Plain stores: PUT, GET, LIST, DELETE, none of them on a condition. A record has its upload's id in its key, and each run of a
 * sweep puts a fence of its own. So an index of store.pml is an upload here, not an ordinal: `rec[u]` is the record of upload
 * u, at ordinal `ord[u]`, and two of one ordinal are a fork. Who crashes sleeps for ever; only sweeps begin again. */
#define DEAD 4                     /* of a sweep that has ended or was killed; a fence that is older than the grace */
#ifdef SHARED_FENCE
#define FENCE(s) DEAD
#define FENCED(u) (flags[u] != 0)
#elif defined(PARTS_PLAIN_STORE)
#define FENCE(s) (1 << (s))
#define FENCED(u) ((u) != 1 && (flags[PLAN] & ~DEAD) != 0)     /* in the folder of its plan */
#else
#define FENCE(s) (1 << (s))
#define FENCED(u) ((flags[u] & ~DEAD) != 0)            /* somebody may still be about to delete there */
#endif
byte ord[LAST];
byte flags[LAST];                  /* the fences in the folder of an upload */
#define OWN(u) ((u) == 2 || (u) == 4 -> CHUNK(u) : 0)  /* the writer of deltas sends none: it refers to what is there */
#define FOLDER(u) (OWN(u) | MANIFEST(u))
#define ABOUT(me) ((me) + 2)       /* the holder of its own folder, since it has put its manifest */

inline highest(at_) {              /* LIST of the records: the highest ordinal that is taken, a tombstone's or a version's */
  at_ = 0; v_ = 1;
  do :: v_ < LAST -> if :: rec[v_] != FREE && ord[v_] > at_ -> at_ = ord[v_] :: else fi; v_++ :: else -> break od;
  v_ = 0
}
inline newest(up_) {               /* the last version in order: by ordinal, then by upload id */
  up_ = 0; v_ = 1;
  do :: v_ < LAST -> if :: rec[v_] == VERSION && ord[v_] >= ord[up_] -> up_ = v_ :: else fi; v_++ :: else -> break od;
  v_ = 0
}

inline putRecord(up_, at_) {
#ifdef NO_ID_IN_KEY
  v_ = 1;
  do :: v_ < LAST -> if :: v_ != up_ && ord[v_] == at_ -> rec[v_] = FREE; ord[v_] = 0 :: else fi; v_++ :: else -> break od;
  v_ = 0;
#endif
  rec[up_] = VERSION; man[up_] = up_; ord[up_] = at_; accepts[up_] = 1
}

inline noHeadRetired(top_) {
  highest(top_); v_ = 1;
  do :: v_ < LAST -> assert(!(retired[v_] && ord[v_] == top_)); v_++ :: else -> break od;
  v_ = 0; top_ = 0
}

proctype PlainReaders() {
  byte top;
end:
  do
  :: d_step {
       noHeadRetired(top); v_ = 1;
       do
       :: v_ < LAST -> if :: rec[v_] == VERSION -> readable(v_, ok_); n_ = n_ | ok_ :: else fi; v_++
       :: else -> break
       od;
       assert(n_ != 0);            /* something can be restored */
       n_ = 0; ok_ = 0; v_ = 0
     }
  od
}
