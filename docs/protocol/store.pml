/* What lies in the store, and the invariants that hold at every moment in every scenario.
 * An object is a bit of `there`: bit m (1..7) is the manifest of upload m, the bits from 8 on are chunks. A manifest names
 * chunks (refs) and at most one manifest below it (base; 0: a full listing). Version o of the dataset is a record that
 * names a manifest and the digests that it may have. Where nothing else is said upload o is that of version o: a manifest
 * without a record is seen by nobody, so putting the two is one step except in resume.pml. */
#if defined(PLAIN) || defined(PLAIN_SWEEPS) || defined(PLAIN_PRUNES)
#define PLAIN_STORE
#define LAST 6                     /* of uploads, see plain.pml */
#endif
#ifdef PLAIN_FORKS
#define PLAIN_STORE
#define LAST 8
#endif
#if defined(PARTS_PLAIN) || defined(PARTS_PLAIN_PRUNES)
#define PLAIN_STORE
#define PARTS_PLAIN_STORE
#define LAST 4                     /* the base and two heads of one plan */
#endif
#ifdef UNDELETE_AGAIN
#define UNDELETE
#endif
#ifndef LAST
#define LAST 5                     /* ordinals 1..4 */
#endif
#define MANIFEST(m) (1 << (m))
#define CHUNK(n) (1 << (8 + (n)))
#define CHUNKS (255 << 8)
#ifdef FORGED
bool forged;
#endif
#ifdef BALANCE                     /* chunks 2 and 3 are copies of chunk 0 */
#define CONTENT(x) (((x) & CHUNKS & ~(3 << 10)) | ((((x) >> 2) | ((x) >> 3)) & CHUNK(0)))
#else
#define CONTENT(x) ((x) & CHUNKS)
#endif
#define FREE 0
#define VERSION 1
#define TOMBSTONE 2

int there;                         /* objects in the store */
byte rec[LAST];                    /* FREE, VERSION or TOMBSTONE */
byte man[LAST];                    /* the manifest that the record, or the tombstone in its place, names */
byte accepts[LAST];                /* bits of the digests that the record takes for that manifest */
byte change[LAST];                 /* changes of the record so far: its ETag */
bool reported[LAST];               /* its writer said success */
bool retired[LAST];                /* a prune has put a tombstone here */
bool broken[LAST];                 /* its writer slept between its last look and the record, and has not said success */
bool young[LAST];                  /* a tombstone younger than the grace, as far as somebody still reads (restore.pml) */
bool restoring;
int view[LAST];                    /* the content that the record's totals were made of */

int refs[LAST + 2];
byte base[LAST + 2];
byte digest[LAST + 2];             /* 0, 1, 2…: which rewrite of the manifest lies there */
byte stands[LAST + 2];             /* bits of the digests with the same view, which it stands in for */
byte baseDigest[LAST + 2];         /* the digest of `base` that this delta was made on */

hidden byte v_, k_, n_;            /* scratch, of no meaning between two steps */
hidden int x_, y_;
hidden byte ok_;

/* Everything that reading manifest m takes: itself, its chunks and its chain. */
inline closure(top_, need_) {
  need_ = 0; k_ = top_;
  do :: k_ != 0 -> need_ = need_ | MANIFEST(k_) | refs[k_]; k_ = base[k_] :: else -> break od
}

/* Another manifest in the place of the one that a delta names is proven by the record of its own upload, which is that of
 * the same number wherever manifests are rewritten; what it says of itself proves nothing. */
#ifdef TRUST_REPLACES
#define NAMED(m) true
#else
#define NAMED(m) (rec[m] != FREE && man[m] == (m) && (accepts[m] & (1 << digest[m])) != 0)
#endif

/* The readers' function: every object of the chain is there, digests fit, and the view is that of the record. */
inline readable(which_, whole_) {
  closure(man[which_], x_);
  whole_ = (x_ & ~there) == 0 && (accepts[which_] & (1 << digest[man[which_]])) != 0 && CONTENT(x_) == view[which_];
  k_ = man[which_];
  do
  :: base[k_] != 0 ->
     whole_ = whole_ && (digest[base[k_]] == baseDigest[k_] || ((stands[base[k_]] & (1 << baseDigest[k_])) != 0 && NAMED(base[k_])));
     k_ = base[k_]
  :: else -> break
  od;
  k_ = 0; x_ = 0
}

/* What the kept versions need. */
inline keep(all_) {
  all_ = 0; v_ = 1;
  do
  :: v_ < LAST ->
     if
#ifdef CHAIN_NOT_NEEDED
     :: rec[v_] == VERSION -> all_ = all_ | MANIFEST(man[v_]) | refs[man[v_]]
#elif defined(SEGMENTS_NOT_NEEDED)
     :: rec[v_] == VERSION -> all_ = all_ | MANIFEST(man[v_]) | (man[v_] == 2 -> 0 : refs[man[v_]])
#else
     :: rec[v_] == VERSION -> closure(man[v_], x_); all_ = all_ | x_
#endif
#ifndef FORGET_TOMBSTONE_AGE
     :: rec[v_] == TOMBSTONE && young[v_] -> closure(man[v_], x_); all_ = all_ | x_
#endif
     :: else
     fi;
     v_++
  :: else -> break
  od;
  v_ = 0; k_ = 0; x_ = 0
}

/* LIST of the records: the highest ordinal that is taken. A tombstone takes one as a version does. */
inline head(last_) {
  last_ = LAST - 1;
  do :: last_ > 0 && rec[last_] == FREE -> last_-- :: else -> break od
}

inline version(at_, upload_, names_, under_, shows_) {
  assert(!reported[at_]);          /* an ordinal is taken once */
  rec[at_] = VERSION; man[at_] = upload_; accepts[at_] = 1 << digest[upload_]; view[at_] = shows_;
  there = there | MANIFEST(upload_); refs[upload_] = names_; base[upload_] = under_; stands[upload_] = 1 << digest[upload_];
  baseDigest[upload_] = digest[under_]
}

active proctype Readers() {
end:
  do
  :: d_step {
       v_ = 1;
       do
       :: v_ < LAST ->
          if
          :: rec[v_] == VERSION ->
             readable(v_, ok_);
#ifdef FORGED
             assert(!ok_ || !forged || v_ > 2);               /* what was put in the place of a manifest is not believed */
#elif !defined(DAMAGE)
             assert(ok_ || (broken[v_] && !reported[v_]));    /* every listed version is readable */
#endif
#ifndef PLAIN_STORE                  /* there, who puts its record again after a lost answer may undo a prune */
             assert(!retired[v_])                             /* no tombstone is replaced by a version */
#endif
          :: else
          fi;
          assert(!reported[v_] || rec[v_] == VERSION || retired[v_]);   /* no reported version is lost */
          v_++
       :: else -> break
       od;
#ifndef PLAIN_STORE
       head(v_); assert(v_ == 0 || rec[v_] == VERSION);       /* HEAD is never retired */
#endif
       v_ = 0; ok_ = false
     }
  od
}
